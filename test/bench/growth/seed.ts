import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { checkpointSqlite } from '../../../src/store/engine/sqlite-dialect.ts';
import { recountFiles } from '../../../src/store/tally/file-tally.ts';
import { withoutIndexes } from './indexes.ts';

/**
 * Makes a source of a few harvested records one of many: their rows are copied by the database itself, under further
 * numbers. Record `i` of the benchmarks' provider is the item `i + 1`, and the provider has the copies, too. Indexes are
 * made when all rows are there: sorted at once, they cost a fraction of what each row would.
 *
 * @param source its name, with which its paths begin
 */
export async function multiply(
  config: DatabaseConfig,
  harvested: number,
  count: number,
  source = 'bench',
): Promise<void> {
  const database = openDatabase(config);
  try {
    const { writer } = database;
    if (database.client === 'sqlite') await writer.raw('pragma synchronous = off');
    const each = await countRows(database, harvested);
    await withoutIndexes(database, Object.keys(copied), async () => {
      for (let from = 1; from * harvested < count; from += copiesAtATime) {
        const to = Math.min(from + copiesAtATime, Math.ceil(count / harvested)) - 1;
        await copyRows(database, { ...each, source }, from, to);
      }
    });
    const copies = Math.ceil(count / harvested);
    await writer('source').update({
      item_count: copies * each.item,
      published_items: copies * each.item,
      published_seq: copies * each.seq,
      resource_count: copies * each.resource,
      journal_seq: copies * each.seq,
      first_pass_seq: copies * each.seq,
    });
    await writer('moment').update({ seq: copies * each.seq });
    for (const { id } of await writer('source').select('id')) await recountFiles(database, id);
    if (database.client === 'sqlite') await checkpointSqlite(writer);
    else {
      await settleSequences(database, each, copies);
      // By itself it would, some minutes later; of SQLite nobody makes statistics.
      await writer.raw('analyze');
    }
  } finally {
    await database.close();
  }
}

const copiesAtATime = 100;

/** How far the numbers of one copy are from those of the one before. */
interface Each {
  readonly item: number;
  readonly resource: number;
  readonly remote_file: number;
  readonly seq: number;
}

type EachOf = Each & { readonly source: string };

async function countRows({ writer }: Database, harvested: number): Promise<Each> {
  const greatest = async (table: string, column: string): Promise<number> => {
    const [row] = await writer(table).max({ greatest: column });
    return Number(row?.greatest ?? 0);
  };
  return {
    item: harvested,
    resource: await greatest('resource', 'id'),
    remote_file: await greatest('remote_file', 'id'),
    seq: await greatest('change', 'seq'),
  };
}

async function copyRows(database: Database, each: EachOf, from: number, to: number): Promise<void> {
  await database.transaction(async (trx) => {
    for (const [table, { key, counted, expressions }] of Object.entries(copied)) {
      const columns = Object.keys(await trx(table).columnInfo());
      const values = columns.map((column) => expressions[column] ?? column);
      const sql = `insert into ${table} (${columns.join(', ')})
        select ${values.join(', ')} from ${table}, (${numbers(database, from, to)}) copy
        where ${table}.${key} <= ${each[counted]}`;
      await trx.raw(
        sql.replaceAll(/\{(\w+)\}/g, (_, what: keyof EachOf) =>
          what === 'source' ? each.source : `copy.number * ${each[what]}`,
        ),
      );
    }
  });
}

/** Of another copy: nine digits before `/article.pdf`. */
const urlOfCopy = (column: string) =>
  `substr(${column}, 1, length(${column}) - 21) || (cast(substr(${column}, length(${column}) - 20, 9) as integer) + {item}) || '/article.pdf'`;

const itemOfPath = "'{source}/items/oai:bench.example.org:' || (item_id - 1 + {item})";

interface Copied {
  /** The column in whose order the first rows are those that were harvested, and how many those are. */
  readonly key: string;
  readonly counted: keyof Each;
  /** What tells copies apart. */
  readonly expressions: Readonly<Record<string, string>>;
}

const copied: Readonly<Record<string, Copied>> = {
  item: {
    key: 'id',
    counted: 'item',
    expressions: {
      id: 'id + {item}',
      identifier: "'oai:bench.example.org:' || (id - 1 + {item})",
    },
  },
  item_collection: { key: 'item_id', counted: 'item', expressions: { item_id: 'item_id + {item}' } },
  item_file: {
    key: 'item_id',
    counted: 'item',
    expressions: { item_id: 'item_id + {item}', url: urlOfCopy('url') },
  },
  remote_file: {
    key: 'id',
    counted: 'remote_file',
    expressions: { id: 'id + {remote_file}', url: urlOfCopy('url'), counted: 'null' },
  },
  resource: {
    key: 'id',
    counted: 'resource',
    expressions: {
      id: 'id + {resource}',
      item_id: 'item_id + {item}',
      path: `${itemOfPath} || case kind when 'file' then '/files/1-article.pdf' else '/oai_dc.xml' end`,
      upstream_url: `case kind when 'file' then ${urlOfCopy('upstream_url')} else upstream_url end`,
      last_seq: 'last_seq + {seq}',
    },
  },
  change: {
    key: 'seq',
    counted: 'seq',
    expressions: { seq: 'seq + {seq}', resource_id: 'resource_id + {resource}' },
  },
  version: {
    key: 'seq',
    counted: 'seq',
    expressions: {
      seq: 'seq + {seq}',
      resource_id: 'resource_id + {resource}',
      upstream_url: `case when upstream_url is null then null else ${urlOfCopy('upstream_url')} end`,
    },
  },
};

function numbers({ client }: Database, from: number, to: number): string {
  return client === 'pg'
    ? `select number from generate_series(${from}, ${to}) as number`
    : `with recursive counted(number) as (select ${from} union all select number + 1 from counted where number < ${to}) select number from counted`;
}

async function settleSequences({ writer }: Database, each: Each, copies: number): Promise<void> {
  for (const table of ['item', 'resource', 'remote_file'] as const) {
    await writer.raw(
      `select setval(pg_get_serial_sequence('${table}', 'id'), ${copies * each[table] + 1000})`,
    );
  }
}
