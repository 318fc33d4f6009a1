import type { Partition } from './change-partition.ts';
import type { FlatMarks } from './flat-window.ts';

/** What a publication remembers of a journal, so that publishing n new changes costs O(n). */
export interface ChangesState {
  /** Every change of the set up to this sequence of the journal is in the dated lists. */
  readonly seq: number;
  readonly partition: Partition;
  readonly openFile?: OpenFile | undefined;
  /** `from` of the first list: the index's own. */
  readonly first: string;
  /** Catalog of the closed lists, and how many they are. */
  readonly closed?: string | undefined;
  readonly closedCount?: number | undefined;
  readonly marks: FlatMarks;
  /** `entryForm` of the entries whose bytes the marks count. */
  readonly form?: string | undefined;
  /** How many changes there were when the flat list was rendered, and its `from`. */
  readonly flat?: { readonly entries: number; readonly from: string } | undefined;
}

/** An open list on disk: head and entries, of which this much is published. */
export interface OpenFile {
  readonly plain: string;
  readonly length: number;
  readonly headLength: number;
  /** Its twin: pieces of a gzip member. */
  readonly deflated: string;
  readonly deflatedLength: number;
  /** CRC-32 of the plain bytes. */
  readonly crc: number;
  /** A chain over the parts as they were appended. */
  readonly digest: string;
}
