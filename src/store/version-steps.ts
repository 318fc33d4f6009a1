import type { Representation } from '../core/resource.ts';
import type { Queryable } from './database.ts';
import { type RepresentationRow, toRepresentation } from './rows.ts';

/** A version as the journal has it: also what retention gave up, and what nobody has the bytes of. */
export interface VersionStep extends Representation {
  readonly seq: number;
  /** When it happened, by the journal's clock. */
  readonly at: string;
  /** When it begins for the world: `Memento-Datetime`. */
  readonly datetime: string;
  /** It was deleted. */
  readonly gone: boolean;
  /** When retention gave it up. */
  readonly droppedAt: string | undefined;
}

/** Every version of a resource in the order in which they happened. */
export async function listVersionSteps(db: Queryable, path: string): Promise<readonly VersionStep[]> {
  const rows: (RepresentationRow & {
    seq: number | string;
    at: string;
    lastmod: string;
    gone: number;
    dropped_at: string | null;
  })[] = await db('version')
    .join('resource', 'resource.id', 'version.resource_id')
    .where('resource.path', path)
    .orderBy('version.seq')
    .select('version.seq', 'version.at', 'version.lastmod', 'version.gone', 'version.dropped_at')
    .select('version.media_type', 'version.length', 'version.hash');
  return rows.map((row) => ({
    seq: Number(row.seq),
    at: row.at,
    datetime: row.lastmod,
    ...toRepresentation(row),
    gone: row.gone === 1,
    droppedAt: row.dropped_at ?? undefined,
  }));
}
