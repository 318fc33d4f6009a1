import type { Placed, Sink } from './sink.ts';

/** For whoever wants to know of changes and fetches contents, or does not, by other means. */
export class NoContents implements Sink {
  readonly takesContents = false;

  async find(): Promise<undefined> {}

  async read(): Promise<undefined> {}

  async measure(): Promise<undefined> {}

  put({ loc }: { readonly loc: string }): Placed {
    return { path: loc };
  }

  remove(): void {}

  async close(): Promise<void> {}
}
