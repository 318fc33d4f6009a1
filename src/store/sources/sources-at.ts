import { isAbsolute } from '../../core/uris.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { questionByKey } from '../engine/question.ts';

/** The ids that sources had when they were last asked for, by name, of each PostgreSQL. */
const known = new WeakMap<object, Map<string, number>>();

/**
 * Asks for what is at a path in the sources that may have it: a path begins with its source, the URL of a file that is only
 * linked to may be in several. PostgreSQL is asked in the partition of each; SQLite needs nothing but the path
 * (undefined).
 */
export async function askAt<Row>(
  db: Queryable,
  path: string,
  ask: (sourceId: number | undefined) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  return isPostgres(db) ? askInSources(db, path, ask) : ask(undefined);
}

/** The same of PostgreSQL alone. */
export async function askInSources<Row>(
  db: Queryable,
  path: string,
  ask: (sourceId: number) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (isAbsolute(path)) {
    const rows: Row[] = [];
    for (const { id } of await holders(db, path)) rows.push(...(await ask(id)));
    return rows;
  }
  const name = path.split('/', 1)[0] ?? '';
  const ids = idsOf(db);
  const before = ids.get(name);
  const found = before === undefined ? [] : await ask(before);
  // What is found under a path is of the source that it begins with; what is not, may have come back under another id.
  if (found.length > 0) return found;
  const [source] = await named(db, name);
  if (!source || source.id === before) return [];
  ids.set(name, source.id);
  return ask(source.id);
}

function idsOf(db: Queryable): Map<string, number> {
  // The same object in all of its transactions.
  const { config } = (db as unknown as { client: { config: object } }).client;
  const ids = known.get(config) ?? new Map<string, number>();
  known.set(config, ids);
  return ids;
}

const named = questionByKey<{ id: number }, [name: string]>(1, (db, name) =>
  db('source').select('id').where({ name }),
);

const holders = questionByKey<{ id: number }, [path: string]>(1, (db, path) =>
  db('resource').select({ id: 'source_id' }).where({ path }).orderBy('source_id'),
);
