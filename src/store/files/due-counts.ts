import type { Queryable } from '../engine/database.ts';
import { statementsOf } from './due-files.ts';

/** How much there is to do about the files of a source. */
export interface DueCounts {
  readonly files: number;
  /** Those of them of which only their server knows whether everybody may read them. */
  readonly unknown: number;
  /** Octets of those whose content is not kept; undefined where the length of one is not stated. */
  readonly bytes: number | undefined;
}

/**
 * Counts what `listDueFiles` would list, for people who wait for it.
 * @param now ISO UTC
 */
export async function countDueFiles(db: Queryable, sourceId: number, now: string): Promise<DueCounts> {
  const statements = statementsOf(db, sourceId, now, 'all')
    .groupBy('stated.url')
    .select('stated.url')
    .max({ length: 'stated.length' })
    .select(db.raw("max(case when stated.access = 'unknown' then 1 else 0 end) as is_unknown"));
  const isToCome = 'remote.content_hash is null';
  const [row]: Record<string, unknown>[] = await db('remote_file as remote')
    .join(statements.as('said'), 'said.url', 'remote.url')
    .where('remote.source_id', sourceId)
    .where('remote.due_at', '<=', now)
    .select(db.raw('count(*) as files'))
    .select(db.raw('sum(said.is_unknown) as unknown'))
    .select(db.raw(`sum(case when ${isToCome} then said.length end) as bytes`))
    .select(db.raw(`sum(case when ${isToCome} and said.length is null then 1 else 0 end) as unstated`));
  const { files, unknown, bytes, unstated } = row ?? {};
  return {
    files: Number(files ?? 0),
    unknown: Number(unknown ?? 0),
    bytes: Number(unstated ?? 0) > 0 ? undefined : Number(bytes ?? 0),
  };
}
