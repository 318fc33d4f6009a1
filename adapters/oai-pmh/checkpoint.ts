import type { Checkpoint } from '../../src/core/adapter.ts';

/** One walk through the repository's list: a format, in a set or in everything. */
export interface Pass {
  readonly format: string;
  readonly collection: string | undefined;
}

/** How far a run has come; a checkpoint is this as JSON. */
export interface Progress {
  /** The upstream's clock at the first answer of the run. */
  asOf?: string;
  /** What the repository accepted as `from`; absent: everything. */
  from?: string;
  /** Keys of the passes that are finished. */
  done: string[];
  /** Records in the finished passes, as a basis for the expected total. */
  counted: number;
  /** The pass that is under way, behind the page whose token this is. */
  current?: CurrentPass;
}

export interface CurrentPass {
  readonly key: string;
  token?: string;
  /** Records received in this pass, without the pages that came again. */
  delivered: number;
  listSize?: number | undefined;
  /** The first page's cursor was 0: cursors count what was delivered before (or they count pages). */
  offsets?: boolean;
  /** Started again because the list had gaps or ended early: once, no more. */
  restarted: boolean;
  /** Digest of the last page, how often in a row pages had come again, and its cursor. */
  lastPage?: string;
  repeats?: number;
  lastCursor?: number | undefined;
}

export function passKey({ format, collection }: Pass): string {
  return collection === undefined ? format : `${format} ${collection}`;
}

export function toCheckpoint(progress: Progress): Checkpoint {
  return {
    version: 1,
    ...progress,
    done: [...progress.done],
    ...(progress.current && { current: { ...progress.current } }),
  };
}

/** Tolerant: a checkpoint nobody understands starts the run again, which loses nothing. */
export function fromCheckpoint(checkpoint: Checkpoint | undefined): Progress | undefined {
  if (checkpoint?.version !== 1) return undefined;
  const { asOf, from, done, counted, current } = checkpoint;
  return {
    ...(typeof asOf === 'string' ? { asOf } : {}),
    ...(typeof from === 'string' ? { from } : {}),
    done: Array.isArray(done) ? done.filter((key) => typeof key === 'string') : [],
    counted: typeof counted === 'number' ? counted : 0,
    ...toCurrentPass(current),
  };
}

function toCurrentPass(value: unknown): { current?: CurrentPass } {
  if (typeof value !== 'object' || value === null) return {};
  const { key, token, delivered, listSize, offsets, restarted, ...last } = value as Readonly<
    Record<string, unknown>
  >;
  const { lastPage, repeats, lastCursor } = last;
  if (typeof key !== 'string') return {};
  return {
    current: {
      key,
      ...(typeof token === 'string' ? { token } : {}),
      delivered: typeof delivered === 'number' ? delivered : 0,
      ...(typeof listSize === 'number' ? { listSize } : {}),
      ...(offsets === true ? { offsets } : {}),
      restarted: restarted === true,
      ...(typeof lastPage === 'string' ? { lastPage } : {}),
      ...(typeof repeats === 'number' ? { repeats } : {}),
      ...(typeof lastCursor === 'number' ? { lastCursor } : {}),
    },
  };
}
