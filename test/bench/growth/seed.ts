import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { checkpointSqlite } from '../../../src/store/engine/sqlite-dialect.ts';

/**
 * Makes a source of a few harvested records one of many: their rows are copied by the database itself, under further
 * numbers. Record `i` of the benchmarks' provider is the item `i + 1`, and the provider has the copies, too.
 */
export async function multiply(config: DatabaseConfig, harvested: number, count: number): Promise<void> {
  const database = openDatabase(config);
  try {
    const { writer } = database;
    if (database.client === 'sqlite') await writer.raw('pragma synchronous = off');
    for (let from = 1; from * harvested < count; from += copiesAtATime) {
      const to = Math.min(from + copiesAtATime, Math.ceil(count / harvested)) - 1;
      await database.transaction(async (trx) => {
        for (const [table, { key, expressions }] of Object.entries(copied)) {
          const columns = Object.keys(await trx(table).columnInfo());
          const values = columns.map((column) =>
            (expressions[column] ?? '{column}').replace('{column}', column),
          );
          const sql = `insert into ${table} (${columns.join(', ')})
            select ${values.join(', ')} from ${table}, (${numbers(database, from, to)}) copy
            where ${table}.${key} <= ${harvested}`;
          await trx.raw(sql.replaceAll('{shift}', `copy.number * ${harvested}`));
        }
      });
    }
    const counts = { item_count: count, resource_count: count, journal_seq: count, first_pass_seq: count };
    await writer('source').update(counts);
    await writer('moment').update({ seq: count });
    if (database.client === 'sqlite') await checkpointSqlite(writer);
    else await settleSequences(database, count);
    await writer.raw('analyze');
  } finally {
    await database.close();
  }
}

const copiesAtATime = 100;

/** By table, the key in whose order its first rows are those that were harvested, and what tells copies apart. */
const copied: Readonly<
  Record<string, { readonly key: string; readonly expressions: Readonly<Record<string, string>> }>
> = {
  item: {
    key: 'id',
    expressions: {
      id: 'id + {shift}',
      identifier: "'oai:bench.example.org:' || (id - 1 + {shift})",
    },
  },
  item_collection: { key: 'item_id', expressions: { item_id: 'item_id + {shift}' } },
  resource: {
    key: 'id',
    expressions: {
      id: 'id + {shift}',
      item_id: 'item_id + {shift}',
      path: "'bench/items/oai:bench.example.org:' || (item_id - 1 + {shift}) || '/oai_dc.xml'",
      last_seq: 'last_seq + {shift}',
    },
  },
  change: { key: 'seq', expressions: { seq: 'seq + {shift}', resource_id: 'resource_id + {shift}' } },
  version: {
    key: 'seq',
    expressions: { seq: 'seq + {shift}', resource_id: 'resource_id + {shift}' },
  },
};

function numbers({ client }: Database, from: number, to: number): string {
  return client === 'pg'
    ? `select number from generate_series(${from}, ${to}) as number`
    : `with recursive counted(number) as (select ${from} union all select number + 1 from counted where number < ${to}) select number from counted`;
}

async function settleSequences({ writer }: Database, count: number): Promise<void> {
  for (const table of ['item', 'resource']) {
    await writer.raw(`select setval(pg_get_serial_sequence('${table}', 'id'), ${count + 1000})`);
  }
}
