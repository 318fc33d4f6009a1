/** Bytes that came, in memory where they are few, else as a file beside the copy; and what they turned out to be. */
export interface ReceivedContent {
  /** `sha-256:…` */
  readonly sha256: string;
  /** Those of other kinds that were stated. */
  readonly otherHashes: readonly string[];
  readonly length: number;
  readonly bytes: Uint8Array | undefined;
  readonly file: string | undefined;
}
