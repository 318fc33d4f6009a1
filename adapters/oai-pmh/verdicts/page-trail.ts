import { createHash } from 'node:crypto';
import type { ChainState } from '../windows/checkpoint.ts';

/** What a page tells about whether the list moves. */
export interface Step {
  /** Pages in a row, this one included, whose records had come before in this list. */
  readonly repeats: number;
  /** The page's cursor is not behind that of the page before. */
  readonly cursorStuck: boolean;
  /** Pages in a row without records, this one included. */
  readonly emptyPages: number;
  readonly nextSeen: boolean;
}

/**
 * The pages and tokens of a list, so that a list which repeats itself is found out (quirk 3). Only digests of
 * them: a list may have a hundred thousand pages.
 */
export class PageTrail {
  readonly #tokens = new Set<string>();
  readonly #pages = new Set<string>();
  #repeats: number;
  #emptyPages = 0;
  #cursor: number | undefined;

  /** Behind a checkpoint, the last page before it and the token that led on are known again. */
  constructor({ token, lastPage, repeats = 0, lastCursor }: ChainState) {
    if (token !== undefined) this.#tokens.add(shorten(token));
    if (lastPage !== undefined) this.#pages.add(lastPage);
    this.#repeats = repeats;
    this.#cursor = lastCursor;
  }

  has(digest: string): boolean {
    return this.#pages.has(digest);
  }

  /** Adds a page; to a page without records its identity means nothing. */
  step(page: { digest: string; count: number; cursor: number | undefined; next: string }): Step {
    const { digest, count, cursor } = page;
    const next = shorten(page.next);
    const repeated = count > 0 && this.#pages.has(digest);
    if (count > 0) this.#repeats = repeated ? this.#repeats + 1 : 0;
    this.#emptyPages = count === 0 ? this.#emptyPages + 1 : 0;
    const step = {
      repeats: repeated ? this.#repeats : 0,
      cursorStuck: cursor !== undefined && this.#cursor !== undefined && cursor <= this.#cursor,
      emptyPages: this.#emptyPages,
      nextSeen: this.#tokens.has(next),
    };
    if (count > 0) this.#pages.add(digest);
    this.#tokens.add(next);
    this.#cursor = cursor;
    return step;
  }

  clear(): void {
    this.#tokens.clear();
    this.#pages.clear();
    this.#repeats = 0;
    this.#emptyPages = 0;
    this.#cursor = undefined;
  }
}

function shorten(token: string): string {
  return createHash('sha1').update(token).digest('base64').slice(0, 16);
}
