import { createHash } from 'node:crypto';
import type { Problem, SourceItem } from '../../src/core/adapter.ts';
import type { CutRecord } from './record-parser.ts';
import { type RecordOrigin, readRecord } from './source-item.ts';

/** A response of more records goes out in several pages: 1,000 at once cost 40 MB more than 300, and are no faster. */
const maximumItems = 300;
const maximumBytes = 8 * 1024 * 1024;

/** Records of one response on their way into pages. */
export class PageBatch {
  readonly #origin: RecordOrigin;
  #items: SourceItem[] = [];
  #problems: Problem[] = [];
  #bytes = 0;
  #count = 0;
  #identifiers = createHash('sha1');

  constructor(origin: RecordOrigin) {
    this.#origin = origin;
  }

  /** Records of the response so far, unreadable ones included. */
  get count(): number {
    return this.#count;
  }

  /** Of the identifiers of the response so far: two pages with the same one are the same page. */
  get digest(): string {
    return this.#identifiers.copy().digest('base64').slice(0, 16);
  }

  get full(): boolean {
    return (
      this.#items.length >= maximumItems ||
      this.#problems.length >= maximumItems ||
      this.#bytes >= maximumBytes
    );
  }

  add(record: CutRecord): void {
    this.#count += 1;
    this.#identifiers.update(`${record.identifier}\n`);
    this.#bytes += record.payload?.content.length ?? 0;
    const { item, problem } = readRecord(record, this.#origin);
    if (item !== undefined) this.#items.push(item);
    if (problem !== undefined) this.#problems.push(problem);
  }

  take(): { readonly items: readonly SourceItem[]; readonly problems: readonly Problem[] } {
    const taken = { items: this.#items, problems: this.#problems };
    this.#items = [];
    this.#problems = [];
    this.#bytes = 0;
    return taken;
  }

  /** The response is asked for again: what was not handed on will come again. */
  restart(): void {
    this.take();
    this.#count = 0;
    this.#identifiers = createHash('sha1');
  }
}
