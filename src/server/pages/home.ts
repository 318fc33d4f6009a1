import type { FastifyInstance } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import type { ServerDeps, SourceOverview } from '../deps.ts';
import { html, type Markup, type Page, timeAndAge } from '../html/html.ts';
import { shortSearchForm } from '../html/search-form.ts';
import { count, countOf, relativeTime } from '../html/wording.ts';
import { apiLinks } from '../openapi/openapi-routes.ts';
import type { IndexSets, SetIndex, Totals } from './set-index.ts';
import {
  capabilityLists,
  documentTable,
  type NamedSet,
  namedSets,
  publishedSets,
  type SetView,
  viewSets,
} from './set-view.ts';
import { type PagedQuery, type PageOf, pagedQuery, pageLinks, sendView, takePage } from './views.ts';

/** Of more, those that need attention come first. */
const sourcesPerPage = 20;

interface HomeView extends PageOf {
  readonly title: string;
  readonly version: string;
  readonly at: string;
  readonly healthy: boolean;
  /** Of some source the first harvest is not over. */
  readonly harvesting: boolean;
  /** Absent until something is published. */
  readonly sourceDescription?: string;
  /** Of all sources, whatever page this is. */
  readonly totals: Totals;
  readonly sources: readonly SourceOverview[];
  /** Of these sources. */
  readonly sets: readonly SetView[];
}

export function homeRoutes(app: FastifyInstance, deps: ServerDeps, index: IndexSets): void {
  app.route<{ Querystring: PagedQuery }>({
    method: ['GET', 'HEAD'],
    url: '/',
    schema: { querystring: pagedQuery },
    config: { operationId: 'getHome' },
    handler: async (request, reply) => {
      reply.header('link', apiLinks(deps.baseUrl));
      const view = await readHome(deps, index, request.query.page ?? 1);
      return sendView(deps, request, reply, view, (shown) => toPage(deps, shown));
    },
  });
}

async function readHome(deps: ServerDeps, index: IndexSets, page: number): Promise<HomeView> {
  const description = '.well-known/resourcesync';
  const sources = await deps.sources();
  const sets = index(sources, await publishedSets(deps));
  const inOrder =
    sources.length > sourcesPerPage
      ? [...sources].sort((a, b) => Number(a.healthy) - Number(b.healthy))
      : sources;
  const { shown, place } = takePage(inOrder, sourcesPerPage, page, `${deps.baseUrl}/`);
  return {
    title: deps.title,
    version: deps.version,
    at: toIso(deps.clock.now()),
    healthy: sources.every(({ healthy }) => healthy),
    harvesting: sources.some(({ harvesting }) => harvesting === true),
    ...((await deps.publication.find(description))
      ? { sourceDescription: `${deps.baseUrl}/${description}` }
      : {}),
    totals: sets.totals,
    ...place,
    sources: shown,
    sets: viewSets(deps, setsOn(deps, page, shown, sets), sets.byPath),
  };
}

/** Of the sources on a page; what is published and belongs to no source stands on the first. */
function setsOn(
  deps: ServerDeps,
  page: number,
  shown: readonly SourceOverview[],
  { ofSource, others }: SetIndex,
): readonly NamedSet[] {
  const own = shown.flatMap(({ name }) => ofSource(name));
  return namedSets(deps, shown, page === 1 ? [...own, ...others] : own);
}

function toPage({ baseUrl, search }: ServerDeps, view: HomeView): Page {
  // As long as `/readyz` says that nothing is there, this does not say that all is well.
  const harvesting = view.totals.documents === 0 || view.harvesting;
  const health = mark({ healthy: view.healthy, harvesting });
  const body = html`<div class="row"><h1>${view.title}</h1>${view.sources.length > 0 ? health : undefined}</div>
${search && shortSearchForm(baseUrl)}
${flow(view)}
<h2>Sources</h2>
${pageLinks(view)}
${view.sources.length > 0 ? html`<div class="cards">${view.sources.map((source) => card(source, view.at))}</div>` : noSources}
<h2>Published documents</h2>
${published(view)}
${pageLinks(view)}`;
  const lists = view.sets.flatMap(capabilityLists);
  return { title: view.title, body, capabilityLists: lists, hasForm: search !== undefined };
}

const noSources = html`<p>No sources yet. <code>rsbridge init URL</code> finds the endpoint of a repository and writes the configuration.</p>`;

/** The four nouns of the pipeline, in its order. */
function flow({ totals, at }: HomeView): Markup {
  const { sources, items, resources, recentChanges, documents, newestDocument } = totals;
  return html`<div class="flow"><div><span class="soft">Harvested</span><b>${count(items)}</b><span class="soft">items from ${countOf(sources, 'source')}</span></div><div><span class="soft">Mapped</span><b>${count(resources)}</b><span class="soft">resources</span></div><div><span class="soft">Journal</span><b>+${count(recentChanges)}</b><span class="soft">changes in the last 24 hours</span></div><div><span class="soft">Published</span><b>${countOf(documents, 'document')}</b><span class="soft">${newestDocument === undefined ? 'nothing yet' : `newest ${relativeTime(newestDocument, at)}`}</span></div></div>`;
}

/** One word, the worst first. */
function mark({ healthy, harvesting }: Pick<SourceOverview, 'healthy' | 'harvesting'>): Markup {
  if (!healthy) return html`<span class="s warn">needs attention</span>`;
  return harvesting ? html`<span class="s">harvesting</span>` : html`<span class="s ok">healthy</span>`;
}

function card(source: SourceOverview, now: string): Markup {
  return html`<section class="card"><div class="row"><strong class="grow">${source.title}</strong>${mark(source)}</div>
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
