import { createHash } from 'node:crypto';
import { earlier } from '../../../src/core/datetime.ts';

/** What is to be published of a resource. */
export interface TrueState {
  readonly hash: string;
  readonly length: number;
  readonly collections: readonly string[];
}

/** All of a source, by path. */
export type TrueStates = ReadonlyMap<string, TrueState>;

export interface TrueMemento extends TrueState {
  readonly datetime: string;
}

export function trueState(content: Uint8Array, collections: readonly string[]): TrueState {
  const hash = `sha-256:${createHash('sha256').update(content).digest('hex')}`;
  return { hash, length: content.byteLength, collections };
}

export function isSameState(a: TrueState | undefined, b: TrueState | undefined): boolean {
  return a?.hash === b?.hash && a?.collections.join() === b?.collections.join();
}

/** What was published of a source, second by second: told by what came, apart from all that the bridge remembers. */
export class Truth {
  current: TrueStates = new Map();
  readonly #moments = new Map<string, TrueStates>();
  readonly #mementos = new Map<string, Map<string, TrueState>>();
  readonly #began = new Map<string, string>();

  /** Seconds in which something was published, oldest first. */
  get moments(): readonly string[] {
    return [...this.#moments.keys()];
  }

  /** Everything that ever was there. */
  get paths(): readonly string[] {
    return [...this.#began.keys()];
  }

  /**
   * @param at the second by the journal's clock
   * @param statedOf what the upstream says of when something new last changed
   */
  publish(at: string, states: TrueStates, statedOf: (path: string) => string | undefined): void {
    for (const [path, state] of states) {
      if (this.current.get(path)?.hash === state.hash) continue;
      const mementos = this.#mementos.get(path) ?? new Map<string, TrueState>();
      const isFirst = !this.#began.has(path);
      mementos.set(isFirst ? earlier(statedOf(path) ?? at, at) : at, state);
      this.#mementos.set(path, mementos);
      if (isFirst) this.#began.set(path, at);
    }
    this.current = states;
    this.#moments.set(at, states);
  }

  /** What there was at a moment. */
  at(t: string): TrueStates {
    const found = this.moments.filter((moment) => moment <= t).at(-1);
    return this.#moments.get(found ?? '') ?? new Map();
  }

  /** When a resource first was there. */
  began(path: string): string {
    return this.#began.get(path) ?? '';
  }

  /** Oldest first. */
  mementos(path: string): readonly TrueMemento[] {
    const found = [...(this.#mementos.get(path) ?? [])].map(([datetime, state]) => ({ datetime, ...state }));
    return found.sort((a, b) => Number(a.datetime > b.datetime) - Number(a.datetime < b.datetime));
  }
}
