import type { SourceFile } from './source-file.ts';

/** What a source has in store, for an adapter whose upstream says of each resource whether it is another by now. */
export interface Holdings {
  /** Items by identifier; those that there are not are left out. */
  items(identifiers: readonly string[]): Promise<ReadonlyMap<string, HeldItem>>;
  /** Identifiers of the items that state a file at one of these addresses, by address. */
  stating(urls: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /**
   * Of payloads, by their hashes, those that are missing or no longer fit. It costs what reading them costs.
   * @throws BridgeError `objects-unavailable`, `objects-refused`
   */
  damaged(hashes: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface HeldItem {
  readonly identifier: string;
  readonly datestamp: string | undefined;
  readonly collections: readonly string[];
  /** What is published of it. */
  readonly metadata: readonly HeldMetadata[];
  /** As its own list states them, in order. */
  readonly files: readonly SourceFile[];
}

export interface HeldMetadata {
  readonly format: string;
  readonly mediaType: string | undefined;
  readonly upstreamUrl: string | undefined;
  /** `sha-256:…` of the bytes that are kept. */
  readonly hash: string | undefined;
  readonly length: number | undefined;
  /** ISO UTC. */
  readonly lastmod: string;
}
