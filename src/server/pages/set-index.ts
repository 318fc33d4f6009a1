import { later } from '../../core/datetime.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import type { ServerDeps, SourceOverview } from '../deps.ts';
import { remembered } from './remembered.ts';
import { currentDocuments, type NamedSet, namedSets } from './set-view.ts';

/** What pages say of all sources and all published sets together, and where each of them is. */
export interface SetIndex {
  readonly byPath: ReadonlyMap<string, PublishedSet>;
  /** Published ones of a source. */
  ofSource(source: string): readonly PublishedSet[];
  /** Published ones of no source that is shown. */
  readonly others: readonly PublishedSet[];
  readonly totals: Totals;
  /** See `namedSets`. */
  named(): readonly NamedSet[];
}

export interface Totals {
  readonly sources: number;
  readonly items: number;
  readonly resources: number;
  readonly recentChanges: number;
  /** Current ones. */
  readonly documents: number;
  readonly newestDocument?: string;
}

export type IndexSets = (sources: readonly SourceOverview[], published: readonly PublishedSet[]) => SetIndex;

/**
 * Everything is gone through once for each answer of those who look at sources and documents, not for each request: they
 * give the same arrays as long as they have not looked again.
 */
export function createSetIndex(deps: ServerDeps): IndexSets {
  return remembered((sources, published) => indexSets(deps, sources, published));
}

function indexSets(
  deps: ServerDeps,
  sources: readonly SourceOverview[],
  published: readonly PublishedSet[],
): SetIndex {
  const bySource = new Map<string, PublishedSet[]>(sources.map(({ name }) => [name, []]));
  const others: PublishedSet[] = [];
  for (const set of published) (bySource.get(set.path.split('/', 1)[0] ?? set.path) ?? others).push(set);
  let named: readonly NamedSet[] | undefined;
  return {
    byPath: new Map(published.map((set) => [set.path, set])),
    ofSource: (source) => bySource.get(source) ?? [],
    others,
    totals: sum(sources, published),
    named: () => {
      named ??= namedSets(deps, sources, published);
      return named;
    },
  };
}

function sum(sources: readonly SourceOverview[], published: readonly PublishedSet[]): Totals {
  let [items, resources, recentChanges, documents, newest] = [0, 0, 0, 0, ''];
  for (const source of sources) {
    items += source.items;
    resources += source.resources;
    recentChanges += source.recentChanges;
  }
  for (const set of published) {
    for (const { lastModified } of currentDocuments(set)) {
      documents += 1;
      newest = later(newest, lastModified);
    }
  }
  const totals = { sources: sources.length, items, resources, recentChanges, documents };
  return newest === '' ? totals : { ...totals, newestDocument: newest };
}
