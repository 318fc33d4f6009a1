import type { FoundFiles } from './found-files.ts';
import type { PayloadReader } from './payload-reader.ts';

/** Reads one payload of one format and adds the files it states. */
export type Extractor = (found: FoundFiles) => PayloadReader;

/** How one format speaks of files. */
export interface FileFormat {
  /** 0: the repository's own list of its files; 100: guessed from links. */
  readonly rank: number;
  readonly extract: Extractor;
  /** A cheap look at the bytes; false: there is no file in it, and reading it is not worth the time. */
  readonly maybe?: (payload: Uint8Array | string) => boolean;
}
