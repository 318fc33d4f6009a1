import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';

const lookEveryMs = 200;
const restMs = 2000;
const giveUpMs = 60_000;
/** The end of an open Change List: more than what comes in between two looks. */
const tailBytes = 200_000;

/**
 * From a commit in any source to the open Change List of `/all`: every few seconds one change is looked for from the moment
 * at which another connection to the database sees it until the list has it.
 */
export class Sampler {
  readonly seconds: number[] = [];
  /** Looked for, and not found before the next was. */
  missed = 0;
  readonly #database: pg.Pool;
  readonly #base: string;
  readonly #seen = new Set<string>();
  readonly #stopped = new AbortController();
  #working: Promise<void> | undefined;

  constructor(database: pg.Pool, base: string) {
    this.#database = database;
    this.#base = base;
  }

  begin(): void {
    this.#working = this.#work();
  }

  async end(): Promise<void> {
    this.#stopped.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      // What the faults of others do to it is not measured.
      await this.#sample().catch(() => undefined);
      await setTimeout(restMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    }
  }

  async #sample(): Promise<void> {
    const before = await this.#journals();
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await setTimeout(lookEveryMs);
      const began = performance.now();
      const now = await this.#journals();
      const grown = [...now].find(([id, seq]) => seq > (before.get(id) ?? seq));
      if (!grown) continue;
      const path = await this.#pathOf(...grown);
      // What was in a list before cannot be told from what comes now.
      if (path === undefined || this.#seen.has(path)) return;
      this.#seen.add(path);
      if ((await this.#tail()).includes(`/${path}<`)) {
        this.seconds.push((performance.now() - began) / 1000);
        return;
      }
      while (!signal.aborted && performance.now() - began < giveUpMs) {
        if ((await this.#tail()).includes(`/${path}<`)) {
          this.seconds.push((performance.now() - began) / 1000);
          return;
        }
        await setTimeout(lookEveryMs);
      }
      if (!signal.aborted) this.missed += 1;
      return;
    }
  }

  async #journals(): Promise<ReadonlyMap<number, number>> {
    const { rows } = await this.#database.query('select id, journal_seq as seq from source');
    return new Map(rows.map(({ id, seq }) => [Number(id), Number(seq)]));
  }

  /** Of a change that no Change List has had yet. */
  async #pathOf(source: number, seq: number): Promise<string | undefined> {
    const { rows } = await this.#database.query(
      `select r.path from change c join resource r on r.source_id = c.source_id and r.id = c.resource_id
        where c.source_id = $1 and c.seq = $2
        and not exists (select 1 from change earlier where earlier.source_id = $1 and earlier.resource_id = c.resource_id
          and earlier.seq < c.seq and earlier.seq > (select coalesce(first_pass_seq, 0) from source where id = $1))`,
      [source, seq],
    );
    return rows[0]?.path;
  }

  async #tail(): Promise<string> {
    const index = await fetch(`${this.#base}/all/changelist-index.xml`).then((response) => response.text());
    const open = [...index.matchAll(/<loc>([^<]*\/all\/changelist\/[^<]*)<\/loc>/g)].at(-1)?.[1];
    if (open === undefined) return '';
    const response = await fetch(`${this.#base}${new URL(open).pathname}`, {
      headers: { range: `bytes=-${tailBytes}` },
    });
    return response.ok ? response.text() : '';
  }
}
