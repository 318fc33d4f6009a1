import type { Knex } from 'knex';
import type { Database, Queryable } from '../../../src/store/engine/database.ts';

/** A database in which each transaction is given up at its end once, and has to be run again. */
export function repeating(database: Database): Database {
  const again = new Error('given up for the sake of another transaction');
  return {
    ...database,
    transaction: async <T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> => {
      const first = database.transaction(async (trx) => {
        await work(trx);
        throw again;
      });
      await first.catch((error: unknown) => {
        if (error !== again) throw error;
      });
      return database.transaction(work);
    },
  };
}

/** What sources have in the tables of resources and of their past, without what their names and numbers are. */
export async function contentOfSources(
  db: Queryable,
  names: readonly string[],
): Promise<readonly (readonly object[])[]> {
  return Promise.all(
    names.map(async (name) => {
      const source = await db('source')
        .where({ name })
        .first('id', 'journal_seq', 'item_count', 'published_items', 'resource_count');
      const resources = await db('resource')
        .where({ source_id: source.id })
        .orderBy('id')
        .select('id', 'format', 'length', 'hash', 'lastmod', 'last_seq', 'version_count', 'deleted_at');
      const changes = await db('change')
        .where({ source_id: source.id })
        .orderBy('seq')
        .select('seq', 'at', 'kind', 'lastmod', 'length', 'hash');
      const versions = await db('version')
        .whereIn(
          'resource_id',
          resources.map(({ id }) => id),
        )
        .orderBy('seq')
        .select('seq', 'at', 'lastmod', 'hash', 'gone', 'dropped_at');
      const { id: _own, ...counts } = source;
      const unnumbered = resources.map(({ id: _id, ...resource }) => resource);
      return [counts, ...unnumbered, ...changes, ...versions];
    }),
  );
}
