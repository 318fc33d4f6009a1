/** What a publication remembers of a journal, so that publishing n new changes costs O(n). */
export interface ChangesState {
  /** Every change of the set up to this sequence of the journal is in the dated lists. */
  readonly seq: number;
  /** `JournalState.at` when it had that sequence; undefined in those of earlier releases. */
  readonly at?: string | undefined;
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
  /** Its bytes, and those of its twin, once more in files that never change; undefined: they are not needed. */
  readonly segments?:
    | { readonly plain: readonly Segment[]; readonly deflated: readonly Segment[] }
    | undefined;
}

/** Bytes of a file that grows, from `start` up to, not including, `end`, in a file of their own. */
export interface Segment {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** Where the partition of a journal into Change Lists stands; see `changes/change-partition.ts`. */
export interface Partition {
  readonly open?: OpenList | undefined;
  /** `until` of the last closed list. */
  readonly closedAt?: string | undefined;
  /** Of the latest list: its `from`, and which list of that `from` it is. */
  readonly from?: string | undefined;
  readonly ordinal: number;
}

export interface OpenList {
  readonly from: string;
  readonly ordinal: number;
  /** In it now; bytes are those of the entries, without head and tail. */
  readonly entries: number;
  readonly bytes: number;
  /** Of the last entry. */
  readonly datetime: string;
  /** What was in it before the first entry of that datetime. */
  readonly before: Extent;
}

/**
 * How far the flat Change List reaches back. Sparse marks into the journal are kept while it is read, so that
 * nobody has to count it again: each stands where a datetime begins, since `from` includes all changes of its
 * moment (RS-TIME-08).
 */
export interface FlatMarks {
  /** All changes of the set so far, and their bytes as entries. */
  readonly entries: number;
  readonly bytes: number;
  /** Oldest first; the first of each day, and more on busy ones. */
  readonly marks: readonly Mark[];
  /** Where the latest datetime begins. */
  readonly latest?: Mark | undefined;
  /** Where the last datetime of the first complete pass begins. */
  readonly baseline?: Mark | undefined;
}

export interface Mark {
  readonly datetime: string;
  /** Every change before it has this sequence at most. */
  readonly afterSeq: number;
  /** How many changes and bytes of the set come before it. */
  readonly entries: number;
  readonly bytes: number;
}

export interface Extent {
  readonly entries: number;
  readonly bytes: number;
}
