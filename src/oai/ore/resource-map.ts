/**
 * OAI-ORE 1.0: an Aggregation, which has no representation, and the Resource Map that describes it. All addresses are
 * percent-encoded http(s) URIs.
 */
export interface ResourceMap {
  /** URI-A. */
  readonly aggregation: string;
  /** URI-R of each serialization. */
  readonly maps: Readonly<Record<MapForm, string>>;
  readonly title: MapText;
  readonly authors: readonly string[];
  /** The persistent identifier of what is aggregated. */
  readonly similarTo: string | undefined;
  /** The page about it; where files are with another server, one of the same server if there is one. */
  readonly page: string;
  /** Whoever makes the map. */
  readonly creator: { readonly name: string; readonly uri: string };
  /** When something of it changed last, ISO UTC. */
  readonly modified: string;
  /** Files first, in their order. */
  readonly aggregated: readonly AggregatedResource[];
}

export interface MapText {
  readonly text: string;
  /** BCP 47; undefined where nobody says it. */
  readonly language: string | undefined;
}

export interface AggregatedResource {
  readonly uri: string;
  readonly kind: 'file' | 'metadata';
  /** Name of the file, or of the format. */
  readonly title: string;
  readonly mediaType: string | undefined;
  /** Octets. */
  readonly length: number | undefined;
  /** ISO UTC. */
  readonly modified: string;
  /** `<algorithm>:<hex>` */
  readonly hash: string | undefined;
  /** Of metadata: its namespace. */
  readonly profile: string | undefined;
}

export type MapForm = 'atom' | 'json';

export const mapTypes = { atom: 'application/atom+xml', json: 'application/ld+json' } as const;

export const oreTerms = 'http://www.openarchives.org/ore/terms/';
export const atomNamespace = 'http://www.w3.org/2005/Atom';

/** The attribute of ResourceSync's `rs:md`, as a property. */
export const hashProperty = { namespace: 'http://www.openarchives.org/rs/terms/', name: 'hash' } as const;
