import knex, { type Knex } from 'knex';
import PostgresClient from 'knex/lib/dialects/postgres/index.js';
import type { Asked, Pool } from './pool.ts';
import type { Replica } from './replica.ts';
import type { Routes } from './routes.ts';

/** Of a connection that was lent. A transaction has a client of its own, without fields. */
interface Loan {
  /** The pool that it goes back to. */
  readonly pool: Pool;
  readonly replica: Replica | undefined;
  /** What is asked on it now. */
  asked?: Promise<unknown>;
}

const loans = new WeakMap<object, Loan>();

/** knex over several pools: where each statement is asked is decided as its connection is wanted. */
class AnsweringClient extends PostgresClient {
  readonly #routes = (this.config as unknown as Settings).routes;

  override async acquireConnection(): Promise<object> {
    const { connection, ...loan } = await this.#routes.connection();
    loans.set(connection, loan);
    return connection;
  }

  override async releaseConnection(connection: object): Promise<void> {
    const loan = loans.get(connection);
    if (!loan) return;
    if (!loan.asked) return loan.pool.releaseConnection(connection);
    // Nobody waits for what is asked on it any more, and it is not free before that is said.
    void loan.asked.catch(() => undefined).then(() => loan.pool.releaseConnection(connection));
  }

  /**
   * A replica ends a statement that is in the way of what it has to replay, and a server may go away in the middle: what
   * only reads can be asked anew, of the primary.
   */
  override async _query(connection: object, query: Asked): Promise<Asked> {
    const loan = loans.get(connection);
    if (!loan) throw new Error('a connection of nobody');
    const { pool, replica } = loan;
    if (!replica || !(#routes in this)) return pool._query(connection, query);
    const asked = pool._query(connection, { ...query });
    loan.asked = asked;
    try {
      const answered = await replica.unlessOut(asked);
      delete loan.asked;
      return answered;
    } catch (error) {
      this.#routes.failed(replica, error);
      return askPrimary(this.#routes.primary, query);
    }
  }
}

async function askPrimary(pool: Pool, query: Asked): Promise<Asked> {
  const connection = await pool.acquireConnection();
  try {
    return await pool._query(connection, query);
  } finally {
    await pool.releaseConnection(connection);
  }
}

interface Settings {
  readonly routes: Routes;
}

export function openAnswering(routes: Routes, settings: Pick<Knex.Config, 'log'>): Knex {
  const opened = knex({
    ...settings,
    client: AnsweringClient as unknown as typeof Knex.Client,
    routes,
  } as Knex.Config);
  // By this name everybody asks which database it is.
  opened.client.config.client = 'pg';
  return opened;
}
