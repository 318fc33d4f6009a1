import type { FastifyInstance } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import { setPaths } from '../../publish/documents/document-paths.ts';
import { boundedSearch } from '../../store/search/bounded-search.ts';
import { findSource } from '../../store/sources/sources.ts';
import type { ServerDeps } from '../deps.ts';
import { type FoundItem, foundItems, toFoundItem } from '../html/found-items.ts';
import { html, linkTo, type Markup, type Page } from '../html/html.ts';
import { shortSearchForm } from '../html/search-form.ts';
import { servedPath } from '../http/base-path.ts';
import { Refusal } from '../http/errors.ts';
import { inboxLink } from '../inbox.ts';
import { generalWords } from '../words/general.ts';
import type { Reader } from '../words/reader.ts';
import { searchWords } from '../words/search.ts';
import { setWords } from '../words/sets.ts';
import type { IndexSets } from './set-index.ts';
import {
  capabilityLists,
  documentTable,
  namedSets,
  publishedSets,
  type SetView,
  viewSets,
} from './set-view.ts';
import {
  type FormatQuery,
  formatQuery,
  type PagedQuery,
  type PageOf,
  pagedQuery,
  pageLinks,
  sendView,
  takePage,
} from './views.ts';

/**
 * What `describedby` of the Source and of each set points to.
 * @param deps `open`: of what is for everybody
 */
export function aboutRoutes(
  app: FastifyInstance,
  { open, all: deps }: { readonly open: ServerDeps; readonly all: ServerDeps },
  index: IndexSets,
): void {
  const options = { method: ['GET', 'HEAD'], schema: { querystring: formatQuery } };
  app.route<{ Querystring: PagedQuery }>({
    ...options,
    schema: { querystring: pagedQuery },
    url: '/about',
    config: { operationId: 'getAbout', open: true },
    handler: async (request, reply) => {
      const inbox = inboxLink(deps);
      if (inbox !== undefined) reply.header('link', inbox);
      return sendView(
        deps,
        request,
        reply,
        await readAbout(open, index, request.query.page ?? 1),
        toAboutPage,
      );
    },
  });
  for (const url of ['/:source/about', '/:source/:part/about', '/:source/:part/:name/about']) {
    app.route<{ Querystring: FormatQuery }>({
      ...options,
      url,
      config: { operationId: 'getSetAbout', open: true },
      handler: async (request, reply) => {
        const path = servedPath(request)?.replace(/\/about$/, '');
        return sendView(deps, request, reply, await readSetAbout(deps, path ?? ''), (view, reader) =>
          toSetPage(deps, view, reader),
        );
      },
    });
  }
}

const setsPerPage = 200;
const newestShown = 5;

interface AboutView extends PageOf {
  readonly uri: string;
  readonly title: string;
  readonly sets: readonly SetView[];
  /** Where all sources together answer OAI-PMH. */
  readonly oai?: string;
}

async function readAbout(deps: ServerDeps, index: IndexSets, page: number): Promise<AboutView> {
  const { baseUrl, title } = deps;
  const uri = `${baseUrl}/about`;
  const { named, byPath } = index(await deps.sources(), await publishedSets(deps));
  const { shown, place } = takePage(named(), deps.setsPerPage ?? setsPerPage, page, uri);
  const oai = deps.jointOai?.() && { oai: `${baseUrl}/oai` };
  return { uri, title, ...place, sets: viewSets(deps, shown, byPath), ...oai };
}

function toAboutPage(view: AboutView, reader: Reader): Page {
  const words = setWords[reader.language];
  const { title, sets } = view;
  const body = html`<h1>${words.aboutTitle(title)}</h1>
<p>${words.aboutIntroduction}</p>
${view.oai !== undefined && html`<dl><dt>${words.oai}</dt><dd><a class="mono" href="${view.oai}?verb=Identify">${view.oai}</a></dd></dl>`}
<h2>${words.sets}</h2>
<ul>${sets.map((set) => html`<li><a href="${set.about}">${set.title}</a> <span class="soft mono">${set.path}</span></li>`)}</ul>
${pageLinks(view, reader)}`;
  return { title: generalWords[reader.language].about, body, capabilityLists: sets.flatMap(capabilityLists) };
}

interface SetAboutView extends SetView {
  readonly at: string;
  /** Where its resources come from; absent until the upstream has told us. */
  readonly upstream?: { readonly name: string; readonly protocol: string; readonly address?: string };
  /** In its Resource List. */
  readonly resources?: number;
  /** By the lists that there are. */
  readonly synchronise: { readonly baseline?: string; readonly incremental?: string };
  /** Where the source answers OAI-PMH. */
  readonly oai?: string;
  /** Of a source whose items are found by words: the newest ones, and where the others are. */
  readonly search?: { readonly uri: string; readonly newest: readonly FoundItem[] };
  /** The same set for clients that refuse one with dumps; absent until it is published. */
  readonly withoutDumps?: { readonly capabilityList: string; readonly sourceDescription: string };
}

async function readSetAbout(deps: ServerDeps, path: string): Promise<SetAboutView> {
  const set = await findSet(deps, path);
  if (!set) throw new Refusal('not-found', 'there is no such set of resources');
  const info = (await findSource(deps.database.reader, set.source))?.info;
  const resources = set.documents.find(({ capability }) => capability === 'resourcelist')?.entries;
  const { listsOnly, listsOnlyDescription } = setPaths(set);
  const hasListsOnly = (await deps.publication.find(listsOnly)) !== undefined;
  return {
    ...set,
    at: toIso(deps.clock.now()),
    ...(info && {
      upstream: {
        name: info.name,
        protocol: `${info.protocol} ${info.protocolVersion}`,
        ...(info.baseUrl !== undefined && { address: info.baseUrl }),
      },
    }),
    ...(resources !== undefined && { resources }),
    synchronise: synchronise(deps.baseUrl, set),
    ...(deps.oai?.(path) && { oai: `${deps.baseUrl}/${path}/oai` }),
    ...(deps.search?.has(path) && { search: await newestOf(deps, path) }),
    ...(hasListsOnly && {
      withoutDumps: {
        capabilityList: `${deps.baseUrl}/${listsOnly}`,
        sourceDescription: `${deps.baseUrl}/${listsOnlyDescription}`,
      },
    }),
  };
}

async function newestOf(deps: ServerDeps, source: string): Promise<NonNullable<SetAboutView['search']>> {
  const { baseUrl, database } = deps;
  const sourceId = (await findSource(database.reader, source))?.id;
  const question = { wanted: { terms: [], stretches: [] }, sourceId, limit: newestShown };
  const { items } =
    sourceId === undefined ? { items: [] } : await boundedSearch(database, question, () => true);
  return {
    uri: `${baseUrl}/search?source=${source}`,
    newest: items.map((item) => toFoundItem(baseUrl, item)),
  };
}

/** Of its source, or whatever else is published under that path. */
async function findSet(deps: ServerDeps, path: string): Promise<SetView | undefined> {
  const source = (await deps.sources()).find(({ name }) => name === path.split('/', 1)[0]);
  const published = await deps.publication.set(path);
  const joint = deps.jointSets?.().find((set) => set.path === path);
  if (joint) return viewSets(deps, [joint], new Map(published && [[path, published]]))[0];
  const sets = namedSets(deps, source ? [source] : [], published ? [published] : []);
  const [view] = viewSets(
    deps,
    sets.filter((set) => set.path === path),
    new Map(published && [[path, published]]),
  );
  return view;
}

/**
 * The lists are named because the client finds them by itself only where one set is alone below its
 * address, and it maps resources by the address of the source, which every set shares.
 */
function synchronise(baseUrl: string, { path, source, documents }: SetView): SetAboutView['synchronise'] {
  const list = `--sitemap ${baseUrl}/${path}/resourcelist.xml`;
  // The journal of a set across sources has a name with a slash; what is in it lies below all of them.
  const root = source.includes('/') ? baseUrl : `${baseUrl}/${source}`;
  const mapping = `${root}=${path.replaceAll('/', '-')}`;
  const has = (capability: string) => documents.some((document) => document.capability === capability);
  if (!has('resourcelist')) return {};
  return {
    baseline: `resync-sync --baseline ${list} ${mapping}`,
    ...(has('changelist') && {
      incremental: `resync-sync --incremental --delete ${list} --changelist-uri ${baseUrl}/${path}/changelist.xml ${mapping}`,
    }),
  };
}

function toSetPage({ baseUrl }: ServerDeps, view: SetAboutView, reader: Reader): Page {
  const words = setWords[reader.language];
  const { title, path, upstream, resources, documents, synchronise: commands, withoutDumps } = view;
  const body = html`<h1>${title}</h1>
<dl><dt>${words.set}</dt><dd class="mono">${path}</dd>${
    upstream &&
    html`<dt>${words.comesFrom}</dt><dd>${upstream.name} ${upstream.address && linkTo(upstream.address)} <span class="soft">${words.by(upstream.protocol)}</span></dd>`
  }<dt>${words.resources}</dt><dd>${resources === undefined ? words.nonePublished : reader.count(resources)}</dd>${
    view.oai !== undefined &&
    html`<dt>${words.oai}</dt><dd><a class="mono" href="${view.oai}?verb=Identify">${view.oai}</a></dd>`
  }</dl>
${view.search && searchSection(baseUrl, path, view.search, reader)}
<h2>${words.documents}</h2>
${documents.length > 0 ? documentTable(documents, view.at, reader) : html`<p>${words.nothingPublished}</p>`}
${
  commands.baseline !== undefined &&
  html`<h2>${words.synchronise}</h2>
<p>${words.referenceClient.before}<code>pip install resync</code>${words.referenceClient.after}</p>
<pre>${commands.baseline}</pre>
${commands.incremental !== undefined && html`<pre>${commands.incremental}</pre>`}`
}
${
  withoutDumps &&
  html`<p>${words.withoutDumps.before}<a href="${withoutDumps.capabilityList}">${words.withoutDumps.list}</a>${words.withoutDumps.between}<a href="${withoutDumps.sourceDescription}">${words.withoutDumps.description}</a>${words.withoutDumps.after}</p>
<pre>${withoutDumps.capabilityList}</pre>`
}`;
  return { title, body, capabilityLists: capabilityLists(view), hasForm: view.search !== undefined };
}

function searchSection(
  baseUrl: string,
  source: string,
  { uri, newest }: NonNullable<SetAboutView['search']>,
  reader: Reader,
): Markup {
  const words = searchWords[reader.language];
  return html`<h2>${words.newest}</h2>
${shortSearchForm(baseUrl, reader, source)}
${newest.length > 0 ? foundItems(newest, false, reader) : html`<p>${words.nothingYet}</p>`}
<p><a href="${uri}">${words.inSource}</a></p>`;
}
