import type { Knex } from 'knex';
import type { ResourceSet } from '../../core/resource-set.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { versionsOfResource } from '../rows/change-facts.ts';
import { hiddenFormersSince, wasOfFormerItem } from '../rows/former-pasts.ts';
import { sameSource, sourceIdOf } from '../rows/one-source.ts';
import { whereMarked, whereOfSet } from './listing.ts';

/**
 * The question of `core/time/withheld.ts`, asked of the database: whether the bytes of resources may be handed out. The
 * database alone answers it, because any process may have deleted something since.
 */
export interface WithheldRule {
  /** `mementos.ofDeleted` of the source. */
  readonly ofDeleted: boolean;
}

export function ruleOf({ ofDeleted = true }: Pick<ResourceSet, 'ofDeleted'>): WithheldRule {
  return { ofDeleted };
}

/** What a package holds the bytes of. */
export interface PackedRange {
  /** Of what changes behind this sequence of the journal made, */
  readonly afterSeq: number;
  /** up to this one. */
  readonly seq: number;
  /** Only of resources from the first to the second of these ids. */
  readonly ids?: readonly [number, number] | undefined;
  /** Of a Resource Dump of a set across sources: what it holds of each source that it has resources of. */
  readonly parts?: readonly PackedPart[] | undefined;
}

export interface PackedPart {
  readonly sourceId: number;
  /** Where the journal of the source stood, perhaps further than the set had taken it up. */
  readonly seq: number;
  readonly ids: readonly [number, number];
}

/** @param query over `resource` */
export function whereWithheld(query: Knex.QueryBuilder, { ofDeleted }: WithheldRule): void {
  query.whereNotNull('resource.deleted_at');
  if (!ofDeleted) return;
  query.where((any) => any.where('resource.kind', 'file').orWhereNotNull('resource.withdrawn_at'));
}

/** Whether anything of a source has become withheld behind a sequence of its journal. */
export async function wasWithheldSince(
  db: Queryable,
  source: string,
  seq: number,
  rule: WithheldRule,
): Promise<boolean> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return false;
  if ((await lostSince(db, sourceId, seq, rule).first('gone.seq')) !== undefined) return true;
  return (await hiddenFormersSince(db, sourceId, seq).first('resource.id')) !== undefined;
}

/**
 * Whether a package of a set holds something that has become withheld behind a sequence of the journal. A resource
 * that only belonged to the set at another time counts, too: whoever asks looks into the package then.
 */
export async function holdsWithheld(
  db: Queryable,
  set: Pick<ResourceSet, 'source' | 'filter'>,
  range: PackedRange,
  since: number,
  rule: WithheldRule,
): Promise<boolean> {
  const sourceId = await sourceIdOf(db, set.source);
  if (sourceId === undefined) return false;
  const held = packedIn(db, range).modify(whereMarked, set, ['held.links', 'held.links_before']);
  // With ids: what lived at one moment; what had been deleted before is not among it.
  const behind = range.ids ? Math.max(since, range.seq) : since;
  const found = async (lost: Knex.QueryBuilder) => {
    const any = lost.modify(whereOfSet, set).modify(whereBetweenIds, range).whereExists(held.clone());
    return (await any.first('resource.id')) !== undefined;
  };
  if (await found(lostSince(db, sourceId, behind, rule))) return true;
  // Of another item there was nothing after that.
  const formers = hiddenFormersSince(db, sourceId, behind).where('former.until_seq', '>', range.afterSeq);
  return found(formers);
}

/** A text that is another one whenever something else is withdrawn of a source; empty: nothing is. */
export async function withdrawnState(db: Queryable, sourceId: number): Promise<string> {
  const resources = db('resource');
  // Of a set across sources: of all of them.
  if (sourceId < 0)
    resources.whereIn('source_id', db('joint_source').where({ joint_id: -sourceId }).select('source_id'));
  else resources.where({ source_id: sourceId });
  const former = resources.clone().from('former_item').whereNotNull('hidden_seq');
  const [row] = await resources
    .whereNotNull('withdrawn_at')
    .count({ count: '*' })
    .max({ latest: 'withdrawn_at' })
    .sum({ sum: 'id' });
  const [hidden] = await former.count({ count: '*' }).sum({ sum: 'hidden_seq' });
  const withdrawn = Number(row?.count ?? 0) === 0 ? '' : `${row?.count} ${row?.latest} ${row?.sum}`;
  return Number(hidden?.count ?? 0) === 0 ? withdrawn : `${withdrawn} ${hidden?.count} ${hidden?.sum}`;
}

/** Those of these paths of a source whose bytes may not be handed out. */
export async function findWithheld(
  db: Queryable,
  source: string,
  paths: readonly string[],
  rule: WithheldRule,
): Promise<ReadonlySet<string>> {
  const sourceId = paths.length === 0 ? undefined : await sourceIdOf(db, source);
  if (sourceId === undefined) return new Set();
  const rows: { path: string }[] = await db('resource')
    .select('resource.path')
    .where('resource.source_id', sourceId)
    .modify((query) => whereAnyOf(query, 'resource.path', paths))
    .modify(whereWithheld, rule);
  return new Set(rows.map(({ path }) => path));
}

/** Changes of a resource that made what a package holds; for queries over `resource`. */
function packedIn(db: Queryable, { afterSeq, seq }: PackedRange): Knex.QueryBuilder {
  return db('change as held')
    .whereRaw('held.resource_id = resource.id')
    .modify(sameSource, 'held', 'resource')
    .where('held.seq', '>', afterSeq)
    .where('held.seq', '<=', seq)
    .whereNot('held.kind', 'deleted')
    .select(db.raw('1'));
}

function whereBetweenIds(query: Knex.QueryBuilder, { ids }: PackedRange): void {
  if (ids) query.whereBetween('resource.id', [ids[0], ids[1]]);
}

/** Deletions behind a sequence, of what is withheld now. */
function lostSince(db: Queryable, sourceId: number, seq: number, rule: WithheldRule): Knex.QueryBuilder {
  return db('change as gone')
    .join('resource', 'resource.id', 'gone.resource_id')
    .modify(sameSource, 'resource', 'gone')
    .where('gone.source_id', sourceId)
    .where('gone.seq', '>', seq)
    .where('gone.kind', 'deleted')
    .where((any) =>
      any.where((own) => own.modify(whereWithheld, rule)).orWhereRaw(wasOfFormerItem(sourceId)),
    );
}

/**
 * Whether a package of a set holds bytes of a file that is published, and not handed out at present: its server says no,
 * and its deletion waits (`files/withheld-files.ts`).
 */
export async function holdsHeldBack(
  db: Queryable,
  set: Pick<ResourceSet, 'source' | 'filter'>,
  range: PackedRange,
): Promise<boolean> {
  if (set.filter.kind === 'metadata') return false;
  const sourceId = await sourceIdOf(db, set.source);
  if (sourceId === undefined) return false;
  const found = await db('remote_file as remote')
    .join('item_file as stated', (on) =>
      on.on('stated.source_id', 'remote.source_id').andOn('stated.url', 'remote.url'),
    )
    .join('resource', (on) =>
      on.on('resource.item_id', 'stated.item_id').andOn('resource.upstream_url', 'remote.url'),
    )
    .where('remote.source_id', sourceId)
    .modify(sameSource, 'resource', 'remote')
    .whereNotNull('remote.withheld_at')
    .where('resource.kind', 'file')
    .whereNull('resource.deleted_at')
    .modify(whereOfSet, set)
    .modify(whereBetweenIds, range)
    .whereExists(packedIn(db, range))
    .first('resource.id');
  return found !== undefined;
}

/**
 * Whether a package of a set holds something that was withdrawn, and whose deletion is in no journal yet because somebody works
 * on its source (`removal/withdrawals.ts`).
 */
export async function holdsUnannounced(
  db: Queryable,
  set: Pick<ResourceSet, 'source' | 'filter'>,
  range: PackedRange,
): Promise<boolean> {
  const sourceId = await sourceIdOf(db, set.source);
  if (sourceId === undefined) return false;
  const found = await unannounced(db)
    .where('resource.source_id', sourceId)
    .modify(whereOfSet, set)
    .modify(whereBetweenIds, range)
    .whereExists(packedIn(db, range))
    .first('resource.id');
  return found !== undefined;
}

export function unannounced(db: Queryable): Knex.QueryBuilder {
  return db('resource').whereNotNull('resource.withdrawn_at').whereNull('resource.deleted_at');
}

/** Those of these paths of a source's resources of which earlier bytes were given up. */
export async function findGivenUp(
  db: Queryable,
  source: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return new Set();
  const rows: { path: string }[] = await db('resource')
    .join('version', versionsOfResource)
    .where('resource.source_id', sourceId)
    .modify((query) => whereAnyOf(query, 'resource.path', [...new Set(paths)]))
    .whereNotNull('version.dropped_at')
    .distinct('resource.path');
  return new Set(rows.map(({ path }) => path));
}
