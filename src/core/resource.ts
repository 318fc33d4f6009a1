/**
 * The vocabulary of the house. Every other file uses these words and no synonyms.
 *
 * - **source**: an upstream repository as configured.
 * - **item**: what the upstream calls a record or an item; it has an identifier, a datestamp, collections,
 *   metadata in one or more formats, files, perhaps prior versions.
 * - **resource**: what we publish: one URI, one representation. A *metadata* resource is one item in one
 *   format, a *file* resource is one bitstream.
 * - **change**: a resource was created, updated or deleted, at a moment of our clock, in an append-only
 *   **journal** with a strictly increasing sequence per source.
 * - **version**: the bytes a resource had from a moment on. A **memento** is a version seen by its URI-M.
 * - **collection**: an OAI set or a DSpace collection, with a URI of its own.
 * - **set**: what one Capability List covers; see `resource-set.ts`.
 *
 * Times are ISO 8601 UTC with seconds and `Z`, in fields named `…At`, or by the standard's own name
 * (`datestamp`, `lastmod`, `datetime`).
 */

export type ResourceKind = 'metadata' | 'file';

/**
 * A typed link to another resource (ResourceSync §14, `rs:ln`).
 *
 * `href` is an absolute URI, or a path below `baseUrl` for something we publish ourselves
 * (`kyushu/collections/col_1`): stored data does not change when the bridge moves to another address.
 */
export interface Link {
  readonly rel: string;
  readonly href: string;
  readonly type?: string;
  readonly modified?: string;
  readonly hash?: string;
  readonly length?: number;
  /** 1–999999, smaller is preferred (RS-ATTR-17). */
  readonly pri?: number;
  /** Change Dump Manifests only: where the linked bytes are in the package, from `/` on (RS-LN-13). */
  readonly path?: string;
}

/** From the version before to the one that a change made (RS-LN-10); in changes only (RS-LN-12). */
export const patchRelation = 'http://www.openarchives.org/rs/terms/patch';

/** What the documents say of one representation (RS-ATTR-07…16); absent means unknown. */
export interface Representation {
  /** Media type without parameters, e.g. `application/xml`. */
  readonly mediaType?: string | undefined;
  /** Octets of the identity-coded body. */
  readonly length?: number | undefined;
  /** One `<algorithm>:<lower-case hex>`, e.g. `sha-256:9f86…` (RS-ATTR-08). */
  readonly hash?: string | undefined;
}

/** A resource as the mapping wants it to be; the store compares it with what it holds. */
export interface DesiredResource extends Representation {
  /** Path below `baseUrl`, unique: `kyushu/items/oai:repo:1/oai_dc.xml`. */
  readonly path: string;
  readonly kind: ResourceKind;
  /** The metadata format's name in URIs, or `file`. */
  readonly format: string;
  /** The bytes, where we hold them ourselves (metadata; mirrored files). */
  readonly content?: Uint8Array | undefined;
  /** The same by `deflatePayload`, where somebody has done that already. */
  readonly deflated?: Uint8Array | undefined;
  /** Where it came from. */
  readonly upstreamUrl?: string | undefined;
  /** When its server says it last changed, ISO UTC; of metadata only where that is said of this very document. */
  readonly lastModified?: string | undefined;
  /** Metadata: the landing page it names. */
  readonly landingPage?: string | undefined;
  readonly links: readonly Link[];
}

export type ChangeKind = 'created' | 'updated' | 'deleted';
