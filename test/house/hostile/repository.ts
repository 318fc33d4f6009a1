import { addSeconds } from '../../../src/core/datetime.ts';

/** A file of a record, as the repository keeps it. */
export interface HostileFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: string;
}

/** One record as the repository keeps it, whatever its provider makes of it. */
export interface HostileRecord {
  /** Place in every honest list. */
  readonly number: number;
  readonly identifier: string;
  readonly createdAt: string;
  readonly datestamp: string;
  readonly sets: readonly string[];
  readonly deleted: boolean;
  readonly title: string;
  /** Counts edits. */
  readonly version: number;
  /** Not for the public. */
  readonly hidden: boolean;
  /** No list knows it any more, GetRecord says that it was deleted (quirk 58). */
  readonly withdrawn: boolean;
  /** Formats it exists in; undefined: all (quirk 71). */
  readonly formats: readonly string[] | undefined;
  readonly files: readonly HostileFile[];
}

type Content = Partial<Pick<HostileRecord, 'title' | 'sets' | 'hidden' | 'formats' | 'files'>>;

/** Characters that somebody somewhere gets wrong: markup, Latin-1, beyond the basic plane. */
export function awkwardTitle(number: number): string {
  return `${number}: Köln & <Söhne>, 日本 𠮟る`;
}

/** The identifier that the n-th record gets unless it is given another. */
export function identifierOf(number: number): string {
  return `oai:hostile.example.org:${number}`;
}

/** The honest records behind the provider, by identifier, in the order in which they were made. */
export class Repository {
  readonly #records = new Map<string, HostileRecord>();
  readonly #now: () => string;
  #numbers = 0;

  constructor(now: () => string) {
    this.#now = now;
  }

  get records(): readonly HostileRecord[] {
    return [...this.#records.values()];
  }

  get(identifier: string): HostileRecord {
    const record = this.#records.get(identifier);
    if (!record) throw new Error(`there is no record ${identifier}`);
    return record;
  }

  find(identifier: string): HostileRecord | undefined {
    return this.#records.get(identifier);
  }

  /** Of past days, seven hours apart, so that datestamps tell them from one another. */
  fill(count: number, content: Content = {}): void {
    const start = addSeconds(this.#now(), -(count + 1) * 25_200);
    for (let index = 0; index < count; index += 1) {
      this.add(undefined, content, addSeconds(start, index * 25_200));
    }
  }

  add(identifier?: string, content: Content = {}, datestamp = this.#now()): HostileRecord {
    this.#numbers += 1;
    const number = this.#numbers;
    const record: HostileRecord = {
      number,
      identifier: identifier ?? identifierOf(number),
      createdAt: datestamp,
      datestamp,
      sets: [number % 2 === 0 ? 'even' : 'odd', ...(number % 3 === 0 ? ['third'] : [])],
      deleted: false,
      title: awkwardTitle(number),
      version: 1,
      hidden: false,
      withdrawn: false,
      formats: undefined,
      files: [],
      ...content,
    };
    this.#records.set(record.identifier, record);
    return record;
  }

  edit(identifier: string, content: Content = {}): void {
    const record = this.get(identifier);
    this.#put({ ...record, ...content, version: record.version + 1, datestamp: this.#now() });
  }

  /** Without a new datestamp (quirks 53, 66). */
  editSilently(identifier: string, content: Content = {}): void {
    const record = this.get(identifier);
    this.#put({ ...record, ...content, version: record.version + 1 });
  }

  moveSilently(identifier: string, sets: readonly string[]): void {
    this.#put({ ...this.get(identifier), sets });
  }

  remove(identifier: string): void {
    this.#put({ ...this.get(identifier), deleted: true, datestamp: this.#now() });
  }

  restore(identifier: string): void {
    const record = this.get(identifier);
    this.#put({ ...record, deleted: false, withdrawn: false, hidden: false, datestamp: this.#now() });
  }

  /** Gone from lists; GetRecord still knows that it was there. */
  withdraw(identifier: string): void {
    this.#put({ ...this.get(identifier), withdrawn: true, datestamp: this.#now() });
  }

  hide(identifier: string): void {
    this.#put({ ...this.get(identifier), hidden: true });
  }

  /** Without a trace. */
  vanish(identifier: string): void {
    this.#records.delete(identifier);
  }

  /** What everybody may read. */
  get living(): readonly HostileRecord[] {
    return this.records.filter(({ deleted, withdrawn, hidden }) => !deleted && !withdrawn && !hidden);
  }

  #put(record: HostileRecord): void {
    this.#records.set(record.identifier, record);
  }
}
