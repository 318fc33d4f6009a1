import type { FastifyInstance } from 'fastify';
import { later, toIso } from '../core/datetime.ts';
import type { ServerDeps, SourceOverview } from './deps.ts';
import { html, type Markup, type Page, timeAndAge } from './html.ts';
import { capabilityLists, documentTable, readSets, type SetView } from './set-view.ts';
import { type FormatQuery, formatQuery, sendView } from './views.ts';
import { count, countOf, relativeTime } from './wording.ts';

interface HomeView {
  readonly title: string;
  readonly version: string;
  readonly at: string;
  readonly healthy: boolean;
  /** Absent until something is published. */
  readonly sourceDescription?: string;
  readonly sources: readonly SourceOverview[];
  readonly sets: readonly SetView[];
}

export function homeRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route<{ Querystring: FormatQuery }>({
    method: ['GET', 'HEAD'],
    url: '/',
    schema: { querystring: formatQuery },
    config: { operationId: 'getHome' },
    handler: async (request, reply) => sendView(deps, request, reply, await readHome(deps), toPage),
  });
}

async function readHome(deps: ServerDeps): Promise<HomeView> {
  const description = '.well-known/resourcesync';
  const sources = await deps.sources();
  return {
    title: deps.title,
    version: deps.version,
    at: toIso(deps.clock.now()),
    healthy: sources.every(({ healthy }) => healthy),
    ...((await deps.publication.find(description))
      ? { sourceDescription: `${deps.baseUrl}/${description}` }
      : {}),
    sources,
    sets: await readSets(deps, sources),
  };
}

function toPage(view: HomeView): Page {
  const health = view.healthy
    ? html`<span class="s ok">healthy</span>`
    : html`<span class="s warn">needs attention</span>`;
  const body = html`<div class="row"><h1>${view.title}</h1>${view.sources.length > 0 ? health : undefined}</div>
${flow(view)}
<h2>Sources</h2>
${view.sources.length > 0 ? html`<div class="cards">${view.sources.map((source) => card(source, view.at))}</div>` : noSources}
<h2>Published documents</h2>
${published(view)}`;
  return { title: view.title, body, capabilityLists: view.sets.flatMap(capabilityLists) };
}

const noSources = html`<p>No sources yet. <code>rsbridge init URL</code> looks at a repository, says what it found and writes it into the configuration.</p>`;

/** The four nouns of the pipeline, in its order. */
function flow({ sources, sets, at }: HomeView): Markup {
  const sum = (pick: (source: SourceOverview) => number) =>
    sources.reduce((total, source) => total + pick(source), 0);
  const documents = sets.flatMap((set) => set.documents);
  const newest = documents.map(({ lastModified }) => lastModified).reduce(later, '');
  return html`<div class="flow"><div><span class="soft">Harvested</span><b>${count(sum(({ items }) => items))}</b><span class="soft">items from ${countOf(sources.length, 'source')}</span></div><div><span class="soft">Mapped</span><b>${count(sum(({ resources }) => resources))}</b><span class="soft">resources</span></div><div><span class="soft">Journal</span><b>+${count(sum(({ recentChanges }) => recentChanges))}</b><span class="soft">changes in the last 24 hours</span></div><div><span class="soft">Published</span><b>${countOf(documents.length, 'document')}</b><span class="soft">${newest === '' ? 'nothing yet' : `newest ${relativeTime(newest, at)}`}</span></div></div>`;
}

function card(source: SourceOverview, now: string): Markup {
  const mark = source.healthy
    ? html`<span class="s ok">healthy</span>`
    : html`<span class="s warn">needs attention</span>`;
  return html`<section class="card"><div class="row"><strong class="grow">${source.title}</strong>${mark}</div>
<p>${source.state}</p>
<dl><dt>Last success</dt><dd>${timeAndAge(source.lastSuccessAt, now)}</dd><dt>Last run</dt><dd>${timeAndAge(source.lastRunAt, now)}</dd><dt>Next run</dt><dd>${timeAndAge(source.nextRunAt, now, 'not scheduled')}</dd><dt>Holds</dt><dd>${countOf(source.items, 'item')}, ${countOf(source.resources, 'resource')}</dd><dt>Changes</dt><dd>${count(source.recentChanges)} in the last 24 hours</dd>${
    source.problem === undefined ? undefined : html`<dt>Problem</dt><dd class="warn">${source.problem}</dd>`
  }</dl></section>
`;
}

function published({ sets, sourceDescription, at }: HomeView): Markup {
  const available = sets.filter((set) => set.documents.length > 0);
  if (available.length === 0) {
    return html`<p>Nothing is published yet. As soon as the first harvest of a source is complete, its Resource List and Change List appear here, each with the address to give to those who want to synchronise.</p>`;
  }
  const start =
    sourceDescription &&
    html`<p>Everything begins at the Source Description: <a class="mono" href="${sourceDescription}">${sourceDescription}</a></p>`;
  return html`${start}
${available.map(
  (set) => html`<h3><a href="${set.about}">${set.title}</a></h3>
${documentTable(set.documents, at)}
`,
)}`;
}
