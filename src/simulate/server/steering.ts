/** What an author of a Destination sees and does of the Source behind its back. */
export interface Steering {
  /** As documents have it, without a slash at its end. */
  readonly origin: string;
  facts(): object;
  /** The truth: what a copy of now has. */
  state(): SourceState;
  /** All that ever happened and is kept, the oldest first. @param since the number of the last that is known */
  changes(since: number): readonly object[];
  /** Changes at random. */
  step(events: number): void;
  put(path: string, content: string | Buffer, type: string | undefined): void;
  /** @returns false: it was not there */
  remove(path: string): boolean;
  /** No changes by themselves. */
  pause(): void;
  resume(): void;
  /** Lists that are not made anew at each request are made anew. */
  list(): void;
  /** Changes up to now are not told any more. */
  forget(): void;
  /** @throws BridgeError `usage` */
  setFaults(names: readonly string[]): void;
}

export interface SourceState {
  readonly at: string;
  readonly events: number;
  readonly resources: readonly StateOfResource[];
}

export interface StateOfResource {
  readonly loc: string;
  /** `sha-256:…` */
  readonly hash: string;
  readonly length: number;
  readonly lastmod: string;
  readonly type: string;
}
