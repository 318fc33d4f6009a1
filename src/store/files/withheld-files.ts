import { notPublicPattern } from '../../core/addresses/private-address.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { questionByKey } from '../engine/question.ts';
import { ofSource, sourceIdOf } from '../rows/one-source.ts';
import { doubtedAt } from './remote-files.ts';

/**
 * A published file that is not handed out at present: its server refuses it, it is gone there, or its address may not
 * be asked, and its deletion has not been carried out. Whoever holds its bytes, a package too, answers 503 meanwhile.
 */
export interface WithheldFile {
  readonly id: number;
  /** Of the resource. */
  readonly path: string;
  readonly url: string;
  /** Of the bytes that are kept; undefined: none are. */
  readonly hash: string | undefined;
  /** `refused`: not for everybody; `gone`: not there. */
  readonly outcome: 'refused' | 'gone';
  /** One clause, for people. */
  readonly reason: string | undefined;
  /** ISO UTC. */
  readonly since: string | undefined;
}

interface Row {
  readonly id: number;
  readonly path: string;
  readonly url: string;
  readonly content_hash: string | null;
  readonly outcome: 'refused' | 'gone';
  readonly reason: string | null;
  readonly withheld_at: string | null;
}

/** Of a source, in the order of ids, which are those of the table `remote_file`. */
export async function listWithheldFiles(
  db: Queryable,
  sourceId: number,
  { after = 0, limit = 1000 }: { readonly after?: number; readonly limit?: number } = {},
): Promise<readonly WithheldFile[]> {
  const rows: Row[] = await selectWithheld(db, sourceId)
    .whereNotNull('remote.withheld_at')
    .where('remote.id', '>', after)
    .orderBy(['remote.id', 'resource.path'])
    .limit(limit);
  return rows.map(toWithheld);
}

/** What the server of a file last said, where that was no; `doubted`: it was no for another source; undefined: anything else. */
export async function findRefusal(
  db: Queryable,
  source: string,
  url: string,
): Promise<'refused' | 'gone' | 'doubted' | undefined> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return undefined;
  const [row] = await refusals(db, sourceId, url);
  if (!row) return undefined;
  return row.outcome === 'refused' || row.outcome === 'gone' ? row.outcome : 'doubted';
}

const refusals = questionByKey<{ outcome: string }, [sourceId: number, url: string]>(2, (db, sourceId, url) =>
  db('remote_file')
    .where({ source_id: sourceId, url })
    .where((no) => no.whereIn('outcome', ['refused', 'gone']).orWhere('due_at', doubtedAt))
    .select('outcome'),
);

export interface WithheldCounts {
  /** By their servers. */
  readonly refused: number;
  readonly gone: number;
  /** At addresses that are not public, and not allowed: their servers are not asked. */
  readonly atPrivateAddresses: number;
  /** Since when there are so many that a person is asked; undefined: there are not. */
  readonly fuseAt: string | undefined;
}

/** All that are not served. */
export function totalOf({
  refused,
  gone,
  atPrivateAddresses,
}: Pick<WithheldCounts, 'refused' | 'gone' | 'atPrivateAddresses'>): number {
  return refused + gone + atPrivateAddresses;
}

export async function countWithheldFiles(db: Queryable, sourceId: number): Promise<WithheldCounts> {
  const counts = (await countWithheldOf(db, [sourceId]))(sourceId);
  const source: { fuse_at: string | null } | undefined = await db('source')
    .where({ id: sourceId })
    .first('fuse_at');
  return { ...counts, fuseAt: source?.fuse_at ?? undefined };
}

/** The same of several sources, without what is decided about them. */
export async function countWithheldOf(
  db: Queryable,
  sourceIds: readonly number[],
): Promise<(sourceId: number) => Omit<WithheldCounts, 'fuseAt'>> {
  const rows: WithheldCount[] = await db('remote_file')
    .modify((query) => whereAnyOf(query, 'source_id', sourceIds))
    .whereNotNull('withheld_at')
    .groupBy('source_id', 'outcome')
    .select(
      'source_id',
      'outcome',
      db.raw('count(*) as files'),
      db.raw("sum(case when outcome = 'refused' and reason like ? then 1 else 0 end) as hidden", [
        notPublicPattern,
      ]),
    );
  return (sourceId) => {
    const own = rows.filter((row) => row.source_id === sourceId);
    const countOf = (outcome: string) => Number(own.find((row) => row.outcome === outcome)?.files ?? 0);
    const atPrivateAddresses = own.reduce((sum, { hidden }) => sum + Number(hidden), 0);
    return { refused: countOf('refused') - atPrivateAddresses, gone: countOf('gone'), atPrivateAddresses };
  };
}

interface WithheldCount {
  readonly source_id: number;
  readonly outcome: 'refused' | 'gone';
  readonly files: number;
  readonly hidden: number;
}

function selectWithheld(db: Queryable, sourceId: number) {
  return db('remote_file as remote')
    .join('item_file as stated', (on) =>
      on.on('stated.source_id', 'remote.source_id').andOn('stated.url', 'remote.url'),
    )
    .join('resource', (on) =>
      on.on('resource.item_id', 'stated.item_id').andOn('resource.upstream_url', 'remote.url'),
    )
    .where('remote.source_id', sourceId)
    .modify(ofSource, 'resource', sourceId)
    .whereIn('remote.outcome', ['refused', 'gone'])
    .where('resource.kind', 'file')
    .whereNull('resource.deleted_at')
    .distinct(
      'remote.id',
      'resource.path',
      'remote.url',
      'remote.content_hash',
      'remote.outcome',
      'remote.reason',
      'remote.withheld_at',
    );
}

function toWithheld({ id, path, url, content_hash, outcome, reason, withheld_at }: Row): WithheldFile {
  return {
    id,
    path,
    url,
    hash: content_hash ?? undefined,
    outcome,
    reason: reason ?? undefined,
    since: withheld_at ?? undefined,
  };
}
