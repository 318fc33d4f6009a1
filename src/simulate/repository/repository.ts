import { toIso } from '../../core/datetime.ts';
import type { Content } from './content.ts';

/** One state of a resource. */
export interface Version {
  /** Of its address, with the leading slash and the query. */
  readonly path: string;
  /** No other state has it. */
  readonly number: number;
  readonly content: Content;
  readonly type: string;
  readonly lastmod: string;
  /** XML that its entries have besides: links. */
  readonly more: string;
}

export interface Change {
  readonly path: string;
  readonly kind: 'created' | 'updated' | 'deleted';
  readonly at: string;
  /** Undefined: there is none any more. */
  readonly version: Version | undefined;
}

export interface Snapshot {
  /** Snapshots that say the same have the same. */
  readonly number: number;
  readonly at: string;
  readonly versions: readonly Version[];
}

/**
 * What there is, and what has happened: the truth that documents are made of, and that a copy is compared with. Times
 * never run backwards and have whole seconds, so that several changes may have the same.
 */
export class Repository {
  readonly #clock: () => number;
  readonly #current = new Map<string, Version>();
  readonly #former = new Map<number, Version>();
  readonly #keepsFormer: boolean;
  #changes: Change[] = [];
  #changesFrom: string;
  /** Changes that are not among them any more. */
  #forgotten = 0;
  #snapshot: Snapshot | undefined;
  #versions = 0;
  #latestMs = 0;

  /** @param clock milliseconds */
  constructor(clock: () => number, { keepsFormer }: { keepsFormer: boolean }) {
    this.#clock = clock;
    this.#keepsFormer = keepsFormer;
    this.#changesFrom = this.now;
  }

  get now(): string {
    this.#latestMs = Math.max(this.#latestMs, this.#clock());
    return toIso(new Date(this.#latestMs));
  }

  get size(): number {
    return this.#current.size;
  }

  /** Ever, whether they are still told or not. */
  get changeCount(): number {
    return this.#forgotten + this.#changes.length;
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  /** Since when changes are told. */
  get changesFrom(): string {
    return this.#changesFrom;
  }

  get(path: string): Version | undefined {
    return this.#current.get(path);
  }

  /** A state by its number, whatever came after it; undefined where none is kept. */
  former(number: number): Version | undefined {
    return this.#former.get(number);
  }

  all(): IterableIterator<Version> {
    return this.#current.values();
  }

  /** @param isTold false: as if it had always been there */
  put(path: string, content: Content, type: string, more = '', isTold = true): Version {
    const at = this.now;
    this.#versions += 1;
    const version = { path, number: this.#versions, content, type, lastmod: at, more };
    const kind = this.#current.has(path) ? 'updated' : 'created';
    this.#current.set(path, version);
    if (this.#keepsFormer) this.#former.set(version.number, version);
    if (isTold) this.#changes.push({ path, kind, at, version });
    return version;
  }

  /** @returns false: it was not there */
  remove(path: string): boolean {
    if (!this.#current.delete(path)) return false;
    this.#changes.push({ path, kind: 'deleted', at: this.now, version: undefined });
    return true;
  }

  /** Everything as of now; where nothing has changed since, the one of before. */
  snapshot(): Snapshot {
    const number = this.#versions + this.changeCount;
    if (this.#snapshot?.number === number) return this.#snapshot;
    this.#snapshot = { number, at: this.now, versions: [...this.#current.values()] };
    return this.#snapshot;
  }

  /** Earlier changes are not told any more. @param count so many of the latest are */
  forget(count = 0): void {
    const dropped = this.#changes.length - count;
    if (dropped < 0 || (dropped === 0 && count > 0)) return;
    this.#forgotten += dropped;
    this.#changesFrom = count === 0 ? this.now : (this.#changes[dropped - 1]?.at ?? this.#changesFrom);
    this.#changes = this.#changes.slice(dropped);
  }
}
