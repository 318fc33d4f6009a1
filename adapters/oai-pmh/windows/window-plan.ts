import { addSeconds } from '../../../src/core/datetime.ts';
import { type ChainState, newChain } from './checkpoint.ts';
import { cutAt, cutWindow, type Granularity, join, type Span, type Window } from './window.ts';

/** A window of the plan, with what only this process knows of it. */
export interface PlannedWindow {
  state: ChainState;
  active: boolean;
  /** Digest of the first page of the list that it was cut from. */
  readonly parentPage?: string | undefined;
  /** Why that one failed. */
  trouble?: unknown;
  /** It cannot be cut any smaller. */
  smallest?: boolean;
  /** Its list was known to fail before it was asked for: one attempt is enough. */
  remembered?: boolean;
  /** It may be cut off, and is looked for in other lists: of other formats, and of sets. */
  wide?: boolean;
  /** Records that were found there. */
  found?: number;
}

/**
 * The windows in which a list is read: first of all, one without ends. They are read in any order, but for the
 * one without an end in time: it is the last, so that what changes while the others are read, and moves on in
 * the list, is met there.
 */
export class WindowPlan {
  #windows: PlannedWindow[];

  constructor(windows: readonly ChainState[]) {
    this.#windows = windows.map((state) => ({ state, active: false }));
  }

  /** What is left, as a checkpoint keeps it. */
  get states(): readonly ChainState[] {
    return this.#windows.map(({ state }) => state);
  }

  get empty(): boolean {
    return this.#windows.length === 0;
  }

  /** The next one to be read, if there is one that may be read now. */
  next(): PlannedWindow | undefined {
    const waiting = this.#windows.filter(({ active }) => !active);
    const closed = waiting.find(({ state }) => state.window.until !== undefined);
    if (closed !== undefined) return closed;
    return this.#windows.length === 1 ? waiting[0] : undefined;
  }

  has(planned: PlannedWindow): boolean {
    return this.#windows.includes(planned);
  }

  remove(planned: PlannedWindow): void {
    this.#windows = this.#windows.filter((one) => one !== planned);
  }

  /** Nothing is left to read but this. */
  replaceAll(windows: readonly Window[]): readonly PlannedWindow[] {
    this.#windows = windows.map((window) => ({ state: newChain(window), active: false }));
    return this.#windows;
  }

  /** Its parts where it was: the list is long, and its parts are read one after the other. */
  replace(planned: PlannedWindow, parts: readonly Window[], parentPage: string | undefined): void {
    const made = parts.map((window) => ({ state: newChain(window), active: false, parentPage }));
    this.#windows.splice(this.#windows.indexOf(planned), 1, ...made);
  }

  /**
   * Its parts behind all others: where many windows fail, those are met first that do not, and one bad record is
   * not mistaken for a repository that is down.
   */
  narrow(
    planned: PlannedWindow,
    parts: readonly Window[],
    known: { readonly parentPage: string | undefined; readonly trouble: unknown },
  ): void {
    this.remove(planned);
    this.#windows.push(
      ...parts.map((window) => ({ state: newChain(window, true), active: false, ...known })),
    );
  }

  /** Where a window was empty, the next two behind it in time are asked for as one. */
  mergeBehind({ state: { window } }: PlannedWindow): void {
    if (window.until === undefined) return;
    const waiting = this.#windows.filter(({ active, state }) => !active && isUntouched(state));
    const first = waiting.find(({ state }) => state.window.from === window.until);
    const second = waiting.find(({ state }) => state.window.from === first?.state.window.until);
    if (first === undefined || second === undefined || second.state.window.until === undefined) return;
    first.state = newChain(join(first.state.window, second.state.window));
    this.remove(second);
  }
}

function isUntouched({ token, delivered, narrowed, restarted }: ChainState): boolean {
  return token === undefined && delivered === 0 && narrowed !== true && restarted !== true;
}

/** Where a window is to be cut, and what is known of what it holds. */
export interface CutRequest {
  readonly parts: number;
  readonly granularity: Granularity;
  readonly span: Span;
  /** Datestamps that would cut it into as many parts of one size, where they are known. */
  readonly quantiles?: readonly string[] | undefined;
  /** Where the part without an end begins that is read last; undefined: there is one already. */
  readonly tailFrom?: string | undefined;
}

/** @returns a single window where it cannot be cut */
export function cut(window: Window, request: CutRequest): readonly Window[] {
  const { parts, granularity, span, quantiles, tailFrom } = request;
  const [body = window, ...tail] = tailFrom === undefined ? [window] : cutAt(window, [tailFrom], granularity);
  const pieces =
    quantiles === undefined ? cutWindow(body, parts, granularity, span) : cutAt(body, quantiles, granularity);
  return [...pieces, ...tail];
}

/** Where the part of a window begins whose records may still be missing in the repository's index. */
export function tailFrom({ from }: Window, { high }: Span, lagSeconds: number): string | undefined {
  const start = addSeconds(high, -lagSeconds);
  return from !== undefined && from >= start ? undefined : start;
}
