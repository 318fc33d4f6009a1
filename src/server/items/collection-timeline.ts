import { exactMemento } from '../../core/time/timeline.ts';
import { mementoUri, timeGateUri } from '../../core/uris.ts';
import { type CollectionChange, readCollectionTimeline } from '../../store/history/collection-timeline.ts';
import { findHistories, type ResourceHistory } from '../../store/history/timelines.ts';
import type { CollectionMember } from '../../store/sources/collection-members.ts';
import type { StoredCollection } from '../../store/sources/collections.ts';
import type { ServerDeps } from '../deps.ts';
import { exactTimeAndAge, html, type Markup } from '../html/html.ts';
import { type TimeMapLinks, timeMapLinks } from '../http/time-map-links.ts';
import { servedHistory } from '../past/served-history.ts';
import type { Past } from '../past.ts';
import { generalWords } from '../words/general.ts';
import { historyWords } from '../words/history.ts';
import type { Reader } from '../words/reader.ts';
import { originalUri, showsPast, toVersionsView, type VersionsView } from './timeline-view.ts';

/** When something in a collection changed, by the clock of the journal. */
export interface CollectionTimelineView {
  /** Where the bridge first met something of it. */
  readonly first: ChangeView;
  readonly last?: ChangeView;
  /** One change of the moment before the last. */
  readonly prev?: ChangeView;
  /** What is missing of these two is not among so many latest changes of the source. */
  readonly quietFor?: number;
  /** A list that it is in, of any moment. */
  readonly resourceList?: ListInTime;
}

export interface ChangeView {
  readonly at: string;
  /** Absent: it was withdrawn, or is private, and is not named any more. */
  readonly uri?: string;
  readonly change: string;
  /** What the resource was from then on; absent where that is not handed out. */
  readonly memento?: string;
  /** The list as of then. */
  readonly resourceList?: string;
}

export interface ListInTime {
  readonly uri: string;
  readonly timeGate: string;
  readonly timeMap: TimeMapLinks;
}

export interface CollectionPast {
  /** Of members, by path. */
  readonly versions: ReadonlyMap<string, VersionsView>;
  readonly timeline: CollectionTimelineView | undefined;
}

export async function readCollectionPast(
  deps: ServerDeps,
  collection: StoredCollection,
  members: readonly CollectionMember[],
): Promise<CollectionPast> {
  if (deps.timelines === false) return { versions: new Map(), timeline: undefined };
  const { reader } = deps.database;
  const changes = await readCollectionTimeline(reader, collection);
  const { first, prev, last, quietFor } = changes;
  const changed = [first, prev, last].flatMap((change) => change?.path ?? []);
  const paths = new Set([...members.map(({ path }) => path), ...changed]);
  const histories = await findHistories(reader, collection.source, [...paths]);
  const list = await listOf(deps, collection);
  const view = async (change: CollectionChange | undefined) =>
    change && toChangeView(deps, change, histories.get(change.path), list);
  const [began, before, latest] = [await view(first), await view(prev), await view(last)];
  return {
    versions: versionsOf(deps, members, histories),
    timeline: began && {
      first: began,
      ...(before && { prev: before }),
      ...(latest && { last: latest }),
      ...(quietFor !== undefined && { quietFor }),
      ...(list && { resourceList: toListInTime(deps, list) }),
    },
  };
}

function versionsOf(
  deps: ServerDeps,
  members: readonly CollectionMember[],
  histories: ReadonlyMap<string, ResourceHistory>,
): ReadonlyMap<string, VersionsView> {
  return new Map(
    members.flatMap(({ path }) => {
      const history = histories.get(path);
      const versions = history && toVersionsView(deps, servedHistory(deps, history));
      return versions ? [[path, versions]] : [];
    }),
  );
}

/** The Resource List of the set that is this collection, else of all of its source, if it has a past. */
async function listOf(deps: ServerDeps, { source, spec }: StoredCollection): Promise<Past | undefined> {
  const own = deps.setsOf(source).find(({ filter }) => {
    const { kind, formats, collections } = filter;
    return kind === undefined && !formats && collections?.length === 1 && collections[0] === spec;
  });
  for (const path of own ? [own.path, source] : [source]) {
    const past = await deps.documentPasts?.(`${path}/resourcelist.xml`);
    if (past?.span && past.withheld === undefined) return past;
  }
  return undefined;
}

function toListInTime({ baseUrl }: ServerDeps, { uri }: Past): ListInTime {
  return { uri, timeGate: timeGateUri(baseUrl, uri), timeMap: timeMapLinks(baseUrl, uri) };
}

async function toChangeView(
  deps: ServerDeps,
  { at, path, change, lastmod }: CollectionChange,
  history: ResourceHistory | undefined,
  list: Past | undefined,
): Promise<ChangeView> {
  const { baseUrl } = deps;
  const uri = originalUri(baseUrl, path);
  const isServed =
    change !== 'deleted' &&
    history !== undefined &&
    showsPast(deps, history) &&
    exactMemento(history.timeline, lastmod).selected !== undefined;
  const asOf = list?.span && list.span.first <= at ? (await list.select(at)).selected : undefined;
  return {
    at,
    ...(history?.withdrawnAt === undefined && { uri }),
    change,
    ...(isServed && { memento: mementoUri(baseUrl, uri, lastmod) }),
    ...(list && asOf !== undefined && { resourceList: mementoUri(baseUrl, list.uri, asOf) }),
  };
}

export function collectionTimelineSection(
  timeline: CollectionTimelineView,
  now: string,
  reader: Reader,
): Markup {
  const words = historyWords[reader.language];
  const { first, prev, last, quietFor, resourceList } = timeline;
  const entries = [
    { name: words.latestChange, change: last },
    { name: words.previousChange, change: prev },
    { name: words.firstChange, change: first },
  ];
  return html`
<h2>${words.timeline}</h2>
<ol class="moments">
${entries.map(
  ({ name, change }) =>
    change &&
    html`<li><strong>${name}</strong> ${exactTimeAndAge(reader, change.at, now)} ${changeMarkup(change, reader)}</li>
`,
)}</ol>${
    quietFor !== undefined &&
    html`
<p class="soft">${words.quiet(generalWords[reader.language].changes(quietFor))}</p>`
  }${
    resourceList &&
    html`
<p>${words.asItWas.before}<a href="${resourceList.timeMap.html}">${words.asItWas.link}</a>${words.asItWas.after}</p>`
  }`;
}

function changeMarkup({ uri, change, memento, resourceList }: ChangeView, { language }: Reader): Markup {
  const words = historyWords[language];
  const name = uri === undefined ? words.notPublic : html`<span class="mono">${uri}</span>`;
  const what = memento === undefined ? name : html`<a class="mono" href="${memento}">${uri}</a>`;
  return html`${what} ${words.changes[change] ?? change}${resourceList && html`${generalWords[language].comma}<a href="${resourceList}">${words.listThen}</a>`}`;
}
