import type { ResourceKind } from './resource.ts';

/**
 * A set of resources in ResourceSync's sense: what one Capability List covers. The capabilities of one
 * Capability List apply uniformly to all its resources (RS-CAP-11, RS-CAP-12), therefore every source has
 * two: all its resources, and its metadata alone.
 */
export interface ResourceSet {
  /** Path below `baseUrl` of everything the set publishes: `kyushu`, `kyushu/metadata`. */
  readonly path: string;
  readonly source: string;
  /** For people. */
  readonly title: string;
  readonly filter: SetFilter;
}

/** Which of a source's resources belong to a set; absent conditions do not restrict. */
export interface SetFilter {
  readonly kind?: ResourceKind;
}

export function resourceSets(source: string, title: string = source): readonly ResourceSet[] {
  return [
    { path: source, source, title, filter: {} },
    { path: `${source}/metadata`, source, title: `${title}: metadata`, filter: { kind: 'metadata' } },
  ];
}

/** The sets that cover a resource, e.g. for its `Link: rel="resourcesync"` headers (RS-DISC-13). */
export function setsOf(resource: { source: string; kind: ResourceKind }): readonly ResourceSet[] {
  return resourceSets(resource.source).filter(
    (set) => set.filter.kind === undefined || set.filter.kind === resource.kind,
  );
}
