import { createHash } from 'node:crypto';
import type { Problem } from '../../../src/core/adapter.ts';
import type { CutRecord, Envelope } from '../wire/record-parser.ts';

/** A response of more records goes out in several pages: 1,000 at once cost 40 MB more than 300, and are no faster. */
const maximumEntries = 300;
/** Eight sources are read side by side, each with two or three of these in memory: with 8 MB it was 400 MB in all. */
const maximumBytes = 1024 * 1024;
const leastBytes = 256 * 1024;

/** What a record is to whoever walks the list: an item, an identifier, or a problem, or both. */
export type ReadEntry<Entry> = (record: CutRecord) => {
  readonly entry: Entry | undefined;
  readonly problem: Problem | undefined;
};

/** A response on its way into records; the envelope is complete at its end. */
export interface ReadResponse extends AsyncIterable<CutRecord[]> {
  readonly envelope: Envelope;
  /** Until nothing is missing from the records that came of it, for which nothing else has to wait. */
  whole?(): Promise<void>;
}

export interface Batch<Entry> {
  readonly entries: readonly Entry[];
  readonly problems: readonly Problem[];
  /** To be waited for before they are stored (`ReadResponse`). */
  readonly whole?: (() => Promise<void>) | undefined;
}

/** Records of one response on their way into pages. */
export class PageBatch<Entry> {
  readonly #read: ReadEntry<Entry>;
  readonly #maximumBytes: number;
  #entries: Entry[] = [];
  #problems: Problem[] = [];
  #bytes = 0;
  #count = 0;
  #identifiers = createHash('sha1');
  #response: ReadResponse | undefined;

  /** @param lists how many lists are read at a time, and share the memory */
  constructor(read: ReadEntry<Entry>, lists = 1) {
    this.#read = read;
    this.#maximumBytes = Math.max(leastBytes, maximumBytes / lists);
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
      this.#entries.length >= maximumEntries ||
      this.#problems.length >= maximumEntries ||
      this.#bytes >= this.#maximumBytes
    );
  }

  /** What is added comes from there. */
  from(response: ReadResponse): ReadResponse {
    this.#response = response;
    return response;
  }

  add(record: CutRecord): void {
    this.skip(record);
    this.#bytes += record.payload?.content.length ?? 0;
    const { entry, problem } = this.#read(record);
    if (entry !== undefined) this.#entries.push(entry);
    if (problem !== undefined) this.#problems.push(problem);
  }

  /** Counts a record of the response that is not wanted. */
  skip(record: CutRecord): void {
    this.#count += 1;
    this.#identifiers.update(`${record.identifier}\n`);
  }

  report(problem: Problem): void {
    this.#problems.push(problem);
  }

  take(): Batch<Entry> {
    const response = this.#response;
    const whole = response?.whole && (() => response.whole?.() ?? Promise.resolve());
    const taken = { entries: this.#entries, problems: this.#problems, whole };
    this.#entries = [];
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
