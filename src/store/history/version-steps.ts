import type { JournalStep } from '../../core/time/resource-past.ts';
import type { Queryable } from '../engine/database.ts';
import { sourceIdOf } from '../rows/one-source.ts';
import { type RepresentationRow, toRepresentation } from '../rows/representation-columns.ts';

/** Every version of a source's resource in the order in which they happened. */
export async function listVersionSteps(
  db: Queryable,
  source: string,
  path: string,
): Promise<readonly JournalStep[]> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return [];
  const rows: (RepresentationRow & {
    seq: number | string;
    at: string;
    lastmod: string;
    gone: number;
    dropped_at: string | null;
  })[] = await db('version')
    .join('resource', (on) =>
      on.on('resource.source_id', 'version.source_id').andOn('resource.id', 'version.resource_id'),
    )
    .where({ 'resource.path': path, 'resource.source_id': sourceId })
    .orderBy('version.seq')
    .select('version.seq', 'version.at', 'version.lastmod', 'version.gone', 'version.dropped_at')
    .select('version.media_type', 'version.length', 'version.hash');
  return rows.map((row) => ({
    seq: Number(row.seq),
    at: row.at || row.lastmod,
    datetime: row.lastmod,
    ...toRepresentation(row),
    gone: row.gone === 1,
    droppedAt: row.dropped_at ?? undefined,
  }));
}
