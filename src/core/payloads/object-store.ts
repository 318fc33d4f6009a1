import type { Readable } from 'node:stream';

/**
 * Bytes under names, in a bucket that others may share: the contract between what keeps bytes and the object storage.
 * A name is given once and never gets other bytes, except where `ifMatch` says what was there.
 */
export interface ObjectStore {
  /** For people: the bucket and its prefix. */
  readonly place: string;
  /** @throws BridgeError `objects-unavailable`, `objects-refused` */
  put(key: string, content: ObjectContent, options?: PutOptions): Promise<PutOutcome>;
  /**
   * Bytes from `start` up to, not including, `end`; a connection that breaks is continued.
   * @returns undefined when nothing is under this name
   */
  get(key: string, options?: GetOptions): Promise<OpenObject | undefined>;
  /** @returns undefined when nothing is under this name */
  head(key: string, signal?: AbortSignal): Promise<ObjectFacts | undefined>;
  /** That nothing is there is no error. */
  delete(key: string, signal?: AbortSignal): Promise<void>;
  /** All names that begin so, in their order. */
  list(prefix: string, signal?: AbortSignal): AsyncGenerator<ListedObject>;
  /** An address that answers GET for so long to whoever has it. */
  presigned(key: string, options: PresignOptions): string;
}

/** What is sent; may be asked for again, when an attempt failed. */
export interface ObjectContent {
  readonly length: number;
  /** In hex, where it is known: then the store refuses what differs. */
  readonly sha256?: string | undefined;
  /** Bytes from `start` up to, not including, `end`; each piece is good until the next is asked for. */
  open(start: number, end: number): AsyncIterable<Uint8Array>;
}

export interface PutOptions {
  readonly mediaType?: string | undefined;
  /** Said with it, by name: small letters, digits and `-`, each value ASCII. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Only where nothing is there. */
  readonly ifAbsent?: boolean;
  /** Only where that is there still. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `conflict`: a condition was not met, and nothing was written. */
export type PutOutcome =
  | { readonly kind: 'stored'; readonly etag: string | undefined }
  | { readonly kind: 'conflict' };

export interface GetOptions {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ObjectFacts {
  /** Of the whole. */
  readonly length: number;
  readonly etag: string | undefined;
  /** What was said with it. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface OpenObject extends ObjectFacts {
  readonly body: Readable;
}

export interface ListedObject {
  readonly key: string;
  readonly length: number;
}

export interface PresignOptions {
  readonly seconds: number;
  readonly mediaType?: string | undefined;
}

/** Bytes that are in memory. */
export function contentOf(bytes: Uint8Array, sha256?: string): ObjectContent {
  return {
    length: bytes.byteLength,
    sha256,
    open: async function* (start, end) {
      yield bytes.subarray(start, end);
    },
  };
}
