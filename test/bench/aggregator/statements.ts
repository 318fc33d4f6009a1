import type { Installation } from './installation.ts';

/** Statements that PostgreSQL was given since the last look, all and the most frequent. */
export class Statements {
  readonly #installation: Installation;

  constructor(installation: Installation) {
    this.#installation = installation;
  }

  async begin(): Promise<void> {
    await this.#installation.database.query('create extension if not exists pg_stat_statements');
    await this.again();
  }

  async again(): Promise<void> {
    await this.#installation.database.query('select pg_stat_statements_reset()');
  }

  async count(): Promise<number> {
    return this.#installation.one('select coalesce(sum(calls), 0) from pg_stat_statements');
  }

  /** @returns how many there were of each, and milliseconds */
  async mostFrequent(count: number): Promise<readonly string[]> {
    const { rows } = await this.#installation.database.query(
      `select left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as query, sum(calls) as calls, round(sum(total_exec_time)) as ms
        from pg_stat_statements group by 1 order by 2 desc limit ${count}`,
    );
    return rows.map(({ query, calls, ms }) => `${calls} (${ms} ms): ${query}`);
  }
}
