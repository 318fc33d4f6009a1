import { setsOf, statedSets } from './set-spec.ts';

/**
 * Where all sources are one repository, each is a set, and its own sets are below it: `kyushu`, `kyushu:theses`. The name of a
 * source has no colon, so whatever follows the first one is the source's.
 */
export function toJointSpec(source: string, spec: string): string {
  return `${source}:${spec}`;
}

/** The sets that an item is in, by the collections of its source; empty: all records. */
export function jointSpecs(source: string, collections: readonly string[]): readonly string[] {
  return ['', source, ...setsOf(collections).map((spec) => toJointSpec(source, spec))];
}

/** Those that its header names: the source is implied where a set of it is named. */
export function statedJointSets(source: string, collections: readonly string[]): readonly string[] {
  const own = statedSets(collections);
  return own.length === 0 ? [source] : own.map((spec) => toJointSpec(source, spec));
}
