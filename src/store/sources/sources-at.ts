import { isAbsolute } from '../../core/uris.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { question } from '../engine/question.ts';

/**
 * The sources that may have a resource at a path: a path begins with its source, the URL of a file that is only linked to
 * may be in several. PostgreSQL is asked in the partition of each; SQLite needs nothing but the path (undefined).
 */
export async function sourcesAt(db: Queryable, path: string): Promise<readonly (number | undefined)[]> {
  if (!isPostgres(db)) return [undefined];
  const rows = isAbsolute(path) ? await holders(db, path) : await named(db, path.split('/', 1)[0] ?? '');
  return rows.map(({ id }) => id);
}

const named = question<{ id: number }, [name: string]>(1, (db, name) =>
  db('source').select('id').where({ name }),
);

const holders = question<{ id: number }, [path: string]>(1, (db, path) =>
  db('resource').select({ id: 'source_id' }).where({ path }).orderBy('source_id'),
);
