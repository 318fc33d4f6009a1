import { mementoUri } from '../../core/uris.ts';
import { findHistories, type ResourceHistory } from '../../store/history/timelines.ts';
import type { StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { fileName } from '../files/file-headers.ts';
import { servedHistory } from '../past/served-history.ts';
import {
  isPrior,
  type MomentEntry,
  type MomentView,
  originalUri,
  toVersionsView,
  type VersionsView,
} from './timeline-view.ts';

/** Moments that a page shows. */
const momentsShown = 20;

/** What one of them names; a harvest that brings a thousand files is one moment. */
const namesShown = 10;

/** When anything of an item changed. */
export interface ItemTimeline {
  /** How many moments there are. */
  readonly count: number;
  readonly first: string;
  readonly prev?: string;
  readonly last: string;
  /** The newest ones, newest first. */
  readonly moments: readonly MomentView[];
}

export interface ItemPast {
  /** By path. */
  readonly versions: ReadonlyMap<string, VersionsView>;
  /** Undefined where nothing is known of it. */
  readonly timeline: ItemTimeline | undefined;
}

const nothing: ItemPast = { versions: new Map(), timeline: undefined };

/** @param resources of one source, whose past is looked at: those that a page shows, and deleted ones */
export async function readItemPast(
  deps: ServerDeps,
  resources: readonly StoredResource[],
): Promise<ItemPast> {
  const [first] = resources;
  if (deps.timelines === false || !first) return nothing;
  const { baseUrl, database } = deps;
  const paths = resources.map(({ path }) => path);
  const histories = await findHistories(database.reader, first.source, paths);
  const versions = new Map<string, VersionsView>();
  const moments = new Map<string, MutableMoment>();
  for (const path of paths) {
    const found = histories.get(path);
    if (!found) continue;
    const history = servedHistory(deps, found);
    const view = toVersionsView(deps, history);
    if (view) versions.set(path, view);
    mark(moments, baseUrl, history, Boolean(view));
  }
  return { versions, timeline: toItemTimeline([...moments.values()]) };
}

interface MutableMoment {
  readonly at: string;
  readonly began: MomentEntry[];
  readonly ended: Omit<MomentEntry, 'memento'>[];
}

function mark(
  moments: Map<string, MutableMoment>,
  baseUrl: string,
  history: ResourceHistory,
  isServed: boolean,
): void {
  const { path, kind, format, timeline } = history;
  const momentAt = (at: string) => {
    const moment = moments.get(at) ?? { at, began: [], ended: [] };
    moments.set(at, moment);
    return moment;
  };
  const [uri, name] = [originalUri(baseUrl, path), kind === 'file' ? fileName(path) : format];
  for (const memento of isServed ? timeline.mementos : []) {
    const { datetime } = memento;
    const prior = isPrior(memento, history);
    momentAt(datetime).began.push({ name, uri, memento: mementoUri(baseUrl, uri, datetime), prior });
  }
  for (const { from } of timeline.gaps) momentAt(from).ended.push({ name, uri, prior: false });
}

function toItemTimeline(unsorted: readonly MutableMoment[]): ItemTimeline | undefined {
  const moments = [...unsorted].sort((a, b) => Number(a.at < b.at) - Number(a.at > b.at));
  const [last, prev, first] = [moments[0], moments[1], moments.at(-1)];
  if (!last || !first) return undefined;
  return {
    count: moments.length,
    first: first.at,
    ...(prev && { prev: prev.at }),
    last: last.at,
    moments: moments.slice(0, momentsShown).map(({ at, began, ended }) => ({
      at,
      began: began.slice(0, namesShown),
      ended: ended.slice(0, namesShown),
      others: Math.max(0, began.length - namesShown) + Math.max(0, ended.length - namesShown),
    })),
  };
}
