import type { FastifyInstance } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import type { ServerDeps, SourceOverview } from '../deps.ts';
import { html, type Markup, type Page, timeAndAge } from '../html/html.ts';
import { shortSearchForm } from '../html/search-form.ts';
import { inboxLink } from '../inbox.ts';
import { apiLinks } from '../openapi/openapi-routes.ts';
import { generalWords } from '../words/general.ts';
import { homeWords } from '../words/home.ts';
import type { Reader } from '../words/reader.ts';
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
      const inbox = inboxLink(deps);
      reply.header('link', [apiLinks(deps.baseUrl), ...(inbox === undefined ? [] : [inbox])].join(', '));
      const view = await readHome(deps, index, request.query.page ?? 1);
      return sendView(deps, request, reply, view, (shown, reader) => toPage(deps, shown, reader));
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

function toPage({ baseUrl, search }: ServerDeps, view: HomeView, reader: Reader): Page {
  const words = homeWords[reader.language];
  // As long as `/readyz` says that nothing is there, this does not say that all is well.
  const harvesting = view.totals.documents === 0 || view.harvesting;
  const health = mark({ healthy: view.healthy, harvesting }, reader);
  const body = html`<div class="row"><h1>${view.title}</h1>${view.sources.length > 0 ? health : undefined}</div>
${search && shortSearchForm(baseUrl, reader)}
${flow(view, reader)}
<h2>${words.sources}</h2>
${pageLinks(view, reader)}
${view.sources.length > 0 ? html`<div class="cards">${view.sources.map((source) => card(source, view.at, reader))}</div>` : noSources(reader)}
<h2>${words.publishedDocuments}</h2>
${published(view, reader)}
${pageLinks(view, reader)}`;
  const lists = view.sets.flatMap(capabilityLists);
  return { title: view.title, body, capabilityLists: lists, hasForm: search !== undefined };
}

function noSources({ language }: Reader): Markup {
  const { before, after } = homeWords[language].noSources;
  return html`<p>${before} <code>rsbridge init URL</code> ${after}</p>`;
}

/** The four nouns of the pipeline, in its order. */
function flow({ totals, at }: HomeView, reader: Reader): Markup {
  const words = homeWords[reader.language];
  const { sources, items, resources, recentChanges, documents, newestDocument } = totals;
  const { count } = reader;
  const newest =
    newestDocument === undefined ? words.nothingYet : words.newest(reader.age(newestDocument, at));
  return html`<div class="flow"><div><span class="soft">${words.harvested}</span><b>${count(items)}</b><span class="soft">${words.itemsFrom(sources)}</span></div><div><span class="soft">${words.mapped}</span><b>${count(resources)}</b><span class="soft">${words.resources}</span></div><div><span class="soft">${words.journal}</span><b>+${count(recentChanges)}</b><span class="soft">${words.recentChanges}</span></div><div><span class="soft">${words.published}</span><b>${words.documents(documents)}</b><span class="soft">${newest}</span></div></div>`;
}

/** One word, the worst first. */
function mark(
  { healthy, harvesting }: Pick<SourceOverview, 'healthy' | 'harvesting'>,
  { language }: Reader,
): Markup {
  const words = homeWords[language];
  if (!healthy) return html`<span class="s warn">${words.needsAttention}</span>`;
  return harvesting
    ? html`<span class="s">${words.harvesting}</span>`
    : html`<span class="s ok">${words.healthy}</span>`;
}

function card(source: SourceOverview, now: string, reader: Reader): Markup {
  const { language, count } = reader;
  const [words, { items, resources, comma }] = [homeWords[language], generalWords[language]];
  const time = (iso: string | undefined, absent?: string) => timeAndAge(reader, iso, now, absent);
  return html`<section class="card"><div class="row"><strong class="grow">${source.title}</strong>${mark(source, reader)}</div>
<p>${source.stateIn?.(language) ?? source.state}</p>
<dl><dt>${words.lastSuccess}</dt><dd>${time(source.lastSuccessAt)}</dd><dt>${words.lastRun}</dt><dd>${time(source.lastRunAt)}</dd><dt>${words.nextRun}</dt><dd>${time(source.nextRunAt, words.notScheduled)}</dd><dt>${words.holds}</dt><dd>${items(source.items)}${comma}${resources(source.resources)}</dd><dt>${words.changes}</dt><dd>${words.inLastDay(count(source.recentChanges))}</dd>${
    source.problem === undefined
      ? undefined
      : html`<dt>${words.problem}</dt><dd class="warn">${source.problem}</dd>`
  }</dl></section>
`;
}

function published({ sets, sourceDescription, at }: HomeView, reader: Reader): Markup {
  const words = homeWords[reader.language];
  const available = sets.filter((set) => set.documents.length > 0);
  if (available.length === 0) {
    return html`<p>${words.nothingPublished}</p>`;
  }
  const start =
    sourceDescription &&
    html`<p>${words.start} <a class="mono" href="${sourceDescription}">${sourceDescription}</a></p>`;
  return html`${start}
${available.map(
  (set) => html`<h3><a href="${set.about}">${set.title}</a></h3>
${documentTable(set.documents, at, reader)}
`,
)}`;
}
