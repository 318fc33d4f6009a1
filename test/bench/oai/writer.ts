import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { toIso } from '../../../src/core/datetime.ts';
import { createRandom } from '../../../src/core/draws/random.ts';
import { noFiles } from '../../../src/core/files/published-files.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { orderRecords, readOrdered } from '../../../src/store/oai/record-order.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease, type Lease, releaseLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';

const dc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const deleted = -1;

/** What each record is, by its number: deleted, or how often it was written. */
export class Truth {
  readonly #versions: Int32Array;

  constructor(records: number) {
    this.#versions = new Int32Array(records).fill(unseen);
  }

  static ofSeeded(records: number): Truth {
    const truth = new Truth(records);
    truth.#versions.fill(0);
    return truth;
  }

  at(number: number): number {
    return this.#versions[number] ?? unseen;
  }

  set(number: number, version: number): void {
    this.#versions[number] = version;
  }

  /** @param record XML, from its header on */
  note(record: string): void {
    const number = Number(/<identifier>[^<]*:(\d+)</.exec(record)?.[1] ?? 'NaN');
    if (!(number >= 0 && number < this.#versions.length))
      throw new Error(`which record is this? ${record.slice(0, 300)}`);
    const isDeleted = /<header[^>]*status="deleted"/.test(record);
    this.set(number, isDeleted ? deleted : Number(/>version (\d+)</.exec(record)?.[1] ?? '0'));
  }

  differencesFrom(truth: Truth): readonly string[] {
    return [...this.#versions].flatMap((version, number) =>
      version === truth.at(number) ? [] : [`${number}: ${version}, not ${truth.at(number)}`],
    );
  }
}

const unseen = -2;

/** Writes as a harvest does, and puts in order as `serve` does beside its answers. */
export class Writer {
  readonly truth: Truth;
  written = 0;
  seconds = 0;
  /** Rounds that took longer than they may. */
  late = 0;
  readonly #database: Database;
  readonly #lease: Lease;
  readonly #records: number;
  readonly #random = createRandom(2026);
  #isOver = false;

  static async open(config: DatabaseConfig, records: number): Promise<Writer> {
    const database = openDatabase(config);
    return new Writer(database, await acquireLease(database, 'bench0', Date.now()), records);
  }

  private constructor(database: Database, lease: Lease, records: number) {
    this.#database = database;
    this.#lease = lease;
    this.#records = records;
    this.truth = Truth.ofSeeded(records);
  }

  /** Until `rest`: so many a second, of which each that was deleted may come back. */
  async write(perSecond: number): Promise<void> {
    const each = 100;
    const since = performance.now();
    for (let round = 1; !this.#isOver; round += 1) {
      await this.#page(each);
      await this.#order();
      const left = since + (round * each * 1000) / perSecond - performance.now();
      if (left <= 0) this.late += 1;
      else await new Promise((resolve) => setTimeout(resolve, left));
    }
    this.seconds = (performance.now() - since) / 1000;
  }

  async rest(writing: Promise<void>): Promise<void> {
    this.#isOver = true;
    await writing;
    await this.#order();
    await new Promise((resolve) => setTimeout(resolve, 1100));
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await releaseLease(this.#database, this.#lease);
    await this.#database.close();
  }

  async #page(count: number): Promise<void> {
    const numbers = new Set<number>();
    while (numbers.size < count) numbers.add(Math.floor(this.#random() * this.#records));
    const now = new Date();
    const begun = {
      sourceId: this.#lease.sourceId,
      mode: 'incremental',
      selection: '{}',
      since: undefined,
      startedAt: toIso(now),
    } as const;
    const run = await startRun(this.#database.writer, begun);
    const items = [...numbers].map((number) => this.#item(number));
    const page = { items, problems: [], checkpoint: undefined, files: noFiles };
    await storePage(this.#database, this.#lease, run, page, { iso: toIso(now), milliseconds: now.getTime() });
  }

  #item(number: number) {
    this.written += 1;
    const isDeleted = this.truth.at(number) !== deleted && this.#random() < 0.3;
    this.truth.set(number, isDeleted ? deleted : this.written);
    const content = `<oai_dc:dc xmlns:oai_dc="${dc}" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>version ${this.written}</dc:title></oai_dc:dc>`;
    return mapItem('bench0', {
      identifier: `oai:bench.example.org:${number}`,
      datestamp: '2026-11-01T00:00:00Z',
      collections: ['col:a'],
      speaksFor: { formats: ['oai_dc'], files: undefined },
      deleted: isDeleted,
      metadata: isDeleted ? [] : [{ format: 'oai_dc', content: Buffer.from(content), profile: dc }],
      files: [],
    });
  }

  async #order(): Promise<void> {
    for (;;) {
      const [source] = await readOrdered(this.#database.reader);
      if (!source || (await orderRecords(this.#database, source)) === undefined) return;
    }
  }
}
