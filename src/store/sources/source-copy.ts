import type { Knex } from 'knex';
import { insertRows, type Row, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';

const rowsAtATime = 500;

/** What happened, and what it was made of: nothing that is decided about a source looks at these. */
const history = new Set([
  ...['change', 'version', 'moment', 'released', 'problem', 'blob', 'source'],
  ...['joint_source', 'joint_step', 'joint_moment'],
]);

/**
 * Everything that a harvest of a source decides by, in an empty database of the same schema: the same harvest there
 * makes the same changes, and nobody sees them. Payloads and the journal stay behind.
 * @param to SQLite
 */
export async function copySource(
  from: Database,
  to: Database,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const db = from.reader;
  const source: (Row & { id: number }) | undefined = await db('source').where({ name }).first('*');
  if (!source) return;
  // Whoever is at work there is not at work here.
  const nobody = {
    harvest_holder: null,
    harvest_expires: null,
    file_work_holder: null,
    file_work_expires: null,
  };
  await to.transaction((trx) => insertRows(trx, 'source', [{ ...source, ...nobody }]).then(() => undefined));
  const tables = await tablesOf(to);
  const ofItems = tables.filter(
    ({ name: table, columns }) => table !== 'item' && columns.includes('item_id'),
  );
  const others = tables.filter(
    ({ columns }) => !columns.includes('item_id') && columns.includes('source_id'),
  );
  for (const { name: table, columns } of others) {
    const isCounted = columns.includes('id');
    // Forms of links have ids of letters, some of which sort before a 0.
    for (let after: number | string | undefined; ; ) {
      signal.throwIfAborted();
      const query = db(table).where({ source_id: source.id });
      if (after !== undefined) query.where('id', '>', after);
      const rows: (Row & { id?: number | string })[] = await (isCounted
        ? query.orderBy('id').limit(rowsAtATime)
        : query);
      await write(to, table, rows);
      if (table === 'item') {
        const ids = rows.map(({ id }) => Number(id));
        for (const own of ofItems) await copyOwn(db, to, own.name, source.id, ids);
      }
      after = rows.at(-1)?.id;
      if (!isCounted || rows.length < rowsAtATime) break;
    }
  }
}

async function copyOwn(
  db: Queryable,
  to: Database,
  table: string,
  sourceId: number,
  items: readonly number[],
): Promise<void> {
  const rows: Row[] = await db(table)
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'item_id', items));
  await write(to, table, rows);
}

async function write(to: Database, table: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  await to.transaction(async (trx: Knex.Transaction) => {
    await insertRows(trx, table, rows);
  });
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

async function tablesOf(to: Database): Promise<readonly Table[]> {
  const names: { name: string }[] = await to.reader('sqlite_master').select('name').where({ type: 'table' });
  const tables: Table[] = [];
  for (const { name } of names) {
    if (history.has(name)) continue;
    tables.push({ name, columns: Object.keys(await to.reader(name).columnInfo()) });
  }
  return tables;
}
