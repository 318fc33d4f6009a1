import type { Checkpoint } from '../../../src/core/adapter.ts';
import { parseDatestamp } from '../../../src/core/datetime.ts';
import type { Pass } from './passes.ts';
import type { Window } from './window.ts';

/** How far a run has come; a checkpoint is this as JSON. */
export interface Progress {
  /** The upstream's clock at the first answer of the run. */
  asOf?: string;
  /** Where the lists begin, ISO UTC seconds; absent: everything. */
  from?: string;
  /** Keys of the passes that are finished. */
  done: string[];
  /** Records in the finished passes, as a basis for the expected total. */
  counted: number;
  /** What the repository said of the lists of these passes; absent: it said nothing of one of them. */
  stated?: number;
  /** The pass that is under way. */
  current?: PassProgress;
}

/** Why a list is read in windows of datestamps: it is long, it fails as a whole, or its end cannot be right. */
export type Cut = 'long' | 'failing' | 'short';

export interface PassProgress {
  readonly key: string;
  /** What is left of it, in the order in which it will be read. */
  readonly windows: readonly ChainState[];
  /** Records in the windows that are finished. */
  readonly delivered: number;
  /** What the repository said of the list as a whole, or of the first window of it that ended where it said nothing before. */
  readonly total?: number | undefined;
  /** What it said of the list as a whole, and nothing else. */
  readonly stated?: number | undefined;
  readonly cut?: Cut | undefined;
  /** Read in one piece, because windows were tried, and were no help. */
  readonly whole?: boolean | undefined;
  /** What the windows gave that were read before, where they gave too little. */
  readonly inWindows?: number | undefined;
  /** What is wrong with it unless its windows prove the contrary: a sentence without its stop. */
  readonly doubt?: string | undefined;
  /** A part of it is known to be missing, and the operator has been told. */
  readonly doubted?: boolean | undefined;
}

/** One window with its chain of tokens, behind the page whose token this is. */
export interface ChainState {
  readonly window: Window;
  readonly token?: string | undefined;
  /** By our clock, ISO UTC. */
  readonly expiresAt?: string | undefined;
  /** Records received, without the pages that came again. */
  readonly delivered: number;
  readonly listSize?: number | undefined;
  /** The first page's cursor was 0: cursors count what was delivered before (or they count pages). */
  readonly offsets?: boolean | undefined;
  /** Started again because the list had gaps or ended early: once, no more. */
  readonly restarted?: boolean | undefined;
  /** Digest of the last page, how often in a row pages had come again, and its cursor. */
  readonly lastPage?: string | undefined;
  readonly repeats?: number | undefined;
  readonly lastCursor?: number | undefined;
  /** It is a part of a window that failed or ended wrongly. */
  readonly narrowed?: boolean | undefined;
  /** It cannot be narrowed any more: record by record, and the token is one of ListIdentifiers. */
  readonly single?: boolean | undefined;
}

export function passKey({ format, collection }: Pass): string {
  return collection === undefined ? format : `${format} ${collection}`;
}

/** A window that nothing is known of yet. */
export function newChain(window: Window, narrowed?: boolean): ChainState {
  return { window, delivered: 0, ...(narrowed === true ? { narrowed } : {}) };
}

export function toCheckpoint(progress: Progress): Checkpoint {
  return {
    version: 2,
    ...progress,
    done: [...progress.done],
    ...(progress.current && { current: { ...progress.current, windows: [...progress.current.windows] } }),
  };
}

/** Tolerant: a checkpoint nobody understands starts the run again, which loses nothing. */
export function fromCheckpoint(checkpoint: Checkpoint | undefined): Progress | undefined {
  if (checkpoint?.version !== 1 && checkpoint?.version !== 2) return undefined;
  const { asOf, done, counted, current } = checkpoint;
  const from = typeof checkpoint.from === 'string' ? parseDatestamp(checkpoint.from) : undefined;
  const pass =
    checkpoint.version === 1
      ? fromFirstVersion(current, from)
      : isObject(current)
        ? toPass(current)
        : undefined;
  return {
    ...(typeof asOf === 'string' ? { asOf } : {}),
    ...(from === undefined ? {} : { from }),
    done: Array.isArray(done) ? done.filter((key) => typeof key === 'string') : [],
    counted: typeof counted === 'number' ? counted : 0,
    ...(typeof checkpoint.stated === 'number' ? { stated: checkpoint.stated } : {}),
    ...(pass === undefined ? {} : { current: pass }),
  };
}

/** Up to 0.1 a pass was a single chain, and `from` was written as the repository wanted it. */
function fromFirstVersion(value: unknown, from: string | undefined): PassProgress | undefined {
  if (!isObject(value)) return undefined;
  const window: Window = from === undefined ? {} : { from };
  return toPass({ key: value.key, windows: [{ ...value, window }], total: value.listSize });
}

function toPass(value: Fields): PassProgress | undefined {
  const { key, windows, delivered, cut } = value;
  if (typeof key !== 'string' || !Array.isArray(windows)) return undefined;
  const chains = windows.map(toChain);
  if (!chains.every((chain) => chain !== undefined)) return undefined;
  return {
    key,
    windows: chains,
    delivered: typeof delivered === 'number' ? delivered : 0,
    ...(cut === 'long' || cut === 'failing' || cut === 'short' ? { cut } : {}),
    ...pick(value, ['total', 'stated', 'inWindows'], 'number'),
    ...pick(value, ['whole', 'doubted'], 'boolean'),
    ...pick(value, ['doubt'], 'string'),
  };
}

function toChain(value: unknown): ChainState | undefined {
  if (!isObject(value) || !isObject(value.window)) return undefined;
  const { from, until } = value.window;
  return {
    window: {
      ...(typeof from === 'string' ? { from } : {}),
      ...(typeof until === 'string' ? { until } : {}),
    },
    delivered: typeof value.delivered === 'number' ? value.delivered : 0,
    ...pick(value, ['token', 'expiresAt', 'lastPage'], 'string'),
    ...pick(value, ['listSize', 'repeats', 'lastCursor'], 'number'),
    ...pick(value, ['offsets', 'restarted', 'narrowed', 'single'], 'boolean'),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function pick(value: Fields, names: readonly string[], type: string): Fields {
  return Object.fromEntries(
    names.filter((name) => typeof value[name] === type).map((name) => [name, value[name]]),
  );
}
