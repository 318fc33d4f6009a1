import { askOn, type Pool } from './pool.ts';

/** How far the primary has come: whoever has replayed its log up to there knows everything that was committed. */
export interface Floor {
  /** A server that becomes the primary begins a new one; positions of two of them are not compared. */
  readonly timeline: string;
  /** In octets of its log. */
  readonly position: number;
}

/**
 * A commit is seen once it is flushed; where `synchronous_commit` is off, before that. A statement that is read-only on a
 * server that is no primary fails, and then nobody is asked but that one.
 */
const floorStatement = `
  select (said.position - '0/0'::pg_lsn)::bigint as position, left(pg_walfile_name(said.position), 8) as timeline
  from (
    select case when current_setting('synchronous_commit') = 'off'
      then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end as position
  ) as said`;

const identityStatement = 'select system_identifier::text as system from pg_control_system()';

/** Asks the primary where it is. */
export class Primary {
  readonly #pool: Pool;
  #asking: Promise<Floor> | undefined;
  #next: Promise<Floor> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * What was committed before this call is below it. Who calls while a question is under way waits for the next one,
   * together with all who do: that one may have been answered before they called.
   */
  floor(): Promise<Floor> {
    if (!this.#asking) return this.#ask();
    this.#next ??= this.#asking.then(
      () => this.#ask(),
      () => this.#ask(),
    );
    return this.#next;
  }

  /** Which database it is: its replicas say the same. */
  async system(): Promise<string> {
    return (await this.#answer<{ system: string }>(identityStatement)).system;
  }

  #ask(): Promise<Floor> {
    this.#next = undefined;
    const asking = this.#answer<Floor>(floorStatement).finally(() => {
      if (this.#asking === asking) this.#asking = undefined;
    });
    this.#asking = asking;
    return asking;
  }

  async #answer<Row>(sql: string): Promise<Row> {
    const connection = await this.#pool.acquireConnection();
    try {
      return await askOn<Row>(this.#pool, connection, sql);
    } finally {
      await this.#pool.releaseConnection(connection);
    }
  }
}
