import knex, { type Knex } from 'knex';
import PostgresClient from 'knex/lib/dialects/postgres/index.js';
import type { Asked, Pool } from './pool.ts';
import type { Routes } from './routes.ts';

/** Of a connection that was lent: the pool that it goes back to. A transaction has a client of its own, without fields. */
const lenders = new WeakMap<object, Pool>();

/** knex over several pools: where each statement is asked is decided as its connection is wanted. */
class AnsweringClient extends PostgresClient {
  readonly #routes = (this.config as unknown as Settings).routes;

  override async acquireConnection(): Promise<object> {
    const { pool, connection } = await this.#routes.connection();
    lenders.set(connection, pool);
    return connection;
  }

  override async releaseConnection(connection: object): Promise<void> {
    await lenders.get(connection)?.releaseConnection(connection);
  }

  /**
   * A replica ends a statement that is in the way of what it has to replay, and a server may go away in the middle: what
   * only reads can be asked anew, of the primary.
   */
  override async _query(connection: object, query: Asked): Promise<Asked> {
    const pool = lenders.get(connection);
    if (!pool) throw new Error('a connection of nobody');
    const routes = #routes in this && pool !== this.#routes.primary ? this.#routes : undefined;
    try {
      return await pool._query(connection, query);
    } catch (error) {
      if (!routes) throw error;
      routes.failed(pool, error);
      return askPrimary(routes.primary, query);
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
