import type { Knex } from 'knex';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Queryable } from '../engine/database.ts';
import { readJointJournal } from '../joint/joint-journal.ts';
import { lastOfGone, type MovedSource, movedSince, placesWithin } from '../joint/moved-sources.ts';
import { findFormerHashes } from '../rows/former-pasts.ts';
import { sourceIdOf } from '../rows/one-source.ts';
import {
  findGivenUp,
  findWithheld,
  holdsHeldBack,
  holdsUnannounced,
  holdsWithheld,
  type PackedRange,
  ruleOf,
  unannounced,
  type WithheldRule,
  wasWithheldSince,
} from './withheld.ts';

/**
 * The questions of `withheld.ts` about the packages of any set. Of one across sources each source is asked by its own rule
 * and in its own sequences: what has happened there and is not taken up yet counts as well, and of those in which nothing
 * has happened nothing is asked. Of what was removed as a whole nothing may be handed out.
 */
export type JudgedSet = Pick<ResourceSet, 'source' | 'filter' | 'members' | 'ofDeleted'>;

const removed: WithheldRule = { ofDeleted: false };

/** As `wasWithheldSince`, of a sequence of the set's journal. */
export async function isWithheldSince(
  db: Queryable,
  set: JudgedSet,
  since: number,
  rule = ruleOf(set),
): Promise<boolean> {
  if (!set.members) return wasWithheldSince(db, set.source, since, rule);
  const journal = await readJointJournal(db, set.source);
  if (!journal || (await lastOfGone(db, journal.id, since)) > 0) return true;
  const members = membersOf(set);
  for (const moved of await movedSince(db, journal.id, since))
    if (await wasWithheldSince(db, moved.name, moved.place, ruleIn(members, moved))) return true;
  return false;
}

/** As `holdsWithheld`, of sequences of the set's journal. */
export async function packsWithheld(
  db: Queryable,
  set: JudgedSet,
  range: PackedRange,
  since: number,
  rule = ruleOf(set),
): Promise<boolean> {
  if (!set.members) return holdsWithheld(db, set, range, since, rule);
  const journal = await readJointJournal(db, set.source);
  // Where nobody knows what has become of a source nothing says that this may be handed out.
  if (!journal || (await isOfGone(db, journal.id, range, since))) return true;
  const members = membersOf(set);
  // What a Resource Dump has lived when it was written.
  const moved = await movedSince(db, journal.id, range.parts ? Math.max(since, range.seq) : since);
  const ranges = await rangesIn(db, journal.id, range, moved);
  for (const source of moved) {
    const part = partOf(members, source);
    for (const own of ranges.get(source.id) ?? [])
      if (await holdsWithheld(db, part, own, source.place, ruleIn(members, source))) return true;
  }
  return false;
}

/** As `holdsHeldBack`. */
export function packsHeldBack(db: Queryable, set: JudgedSet, range: PackedRange): Promise<boolean> {
  const any = db('remote_file as remote')
    .whereRaw('remote.source_id = source.id')
    .whereNotNull('remote.withheld_at');
  return packsSuch(db, set, range, holdsHeldBack, any);
}

/** As `holdsUnannounced`. */
export function packsUnannounced(db: Queryable, set: JudgedSet, range: PackedRange): Promise<boolean> {
  const any = unannounced(db).whereRaw('resource.source_id = source.id');
  return packsSuch(db, set, range, holdsUnannounced, any);
}

/** @param any in a source that has such a thing; of a set across sources only those are asked */
async function packsSuch(
  db: Queryable,
  set: JudgedSet,
  range: PackedRange,
  holds: typeof holdsHeldBack,
  any: Knex.QueryBuilder,
): Promise<boolean> {
  if (!set.members) return holds(db, set, range);
  const journal = await readJointJournal(db, set.source);
  if (!journal) return false;
  const members = membersOf(set);
  const sources: { id: number; name: string }[] = await db('joint_source as known')
    .join('source', 'source.id', 'known.source_id')
    .where('known.joint_id', journal.id)
    .whereExists(any.select(db.raw('1')))
    .select('source.id', 'source.name');
  const ranges = await rangesIn(db, journal.id, range, sources);
  for (const source of sources)
    for (const own of ranges.get(source.id) ?? [])
      if (await holds(db, partOf(members, source), own)) return true;
  return false;
}

/** Whether a package of a set across sources has anything of these sources, which may have been in it once. */
export async function packsAnyOf(
  db: Queryable,
  set: JudgedSet,
  range: PackedRange,
  names: readonly string[],
): Promise<boolean> {
  const journal = names.length === 0 ? undefined : await readJointJournal(db, set.source);
  if (!journal) return false;
  const sources: { id: number }[] = await db('source')
    .whereIn('name', [...names])
    .select('id');
  const ranges = await rangesIn(db, journal.id, range, sources);
  return sources.some(({ id }) => (ranges.get(id) ?? []).length > 0);
}

/** As `findWithheld`, of paths of any of the set's sources. */
export async function findWithheldIn(
  db: Queryable,
  set: JudgedSet,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (!set.members) return findWithheld(db, set.source, paths, ruleOf(set));
  const members = membersOf(set);
  const withheld = new Set<string>();
  for (const [source, own] of bySource(paths)) {
    const member = members.get(source);
    const found = member ? await findWithheld(db, source, own, ruleOf(member)) : own;
    for (const path of found) withheld.add(path);
  }
  return withheld;
}

/** As `findGivenUp`, of paths of any of the set's sources. */
export async function findGivenUpIn(
  db: Queryable,
  set: JudgedSet,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (!set.members) return findGivenUp(db, set.source, paths);
  const givenUp = new Set<string>();
  for (const [source, own] of bySource(paths))
    for (const path of await findGivenUp(db, source, own)) givenUp.add(path);
  return givenUp;
}

/** As `findFormerHashes`, of paths of any of the set's sources. */
export async function findFormerIn(
  db: Queryable,
  set: JudgedSet,
  paths: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (!set.members) return findFormerHashes(db, await sourceIdOf(db, set.source), paths);
  const found = new Map<string, ReadonlySet<string>>();
  for (const [source, own] of bySource(paths))
    for (const [path, hashes] of await findFormerHashes(db, await sourceIdOf(db, source), own))
      found.set(path, hashes);
  return found;
}

/** By which rule a change of the set is judged. @param source of the entry, in a set across sources */
export function ruleOfEntry(set: JudgedSet, source: string | undefined): WithheldRule {
  if (!set.members || source === undefined) return ruleOf(set);
  const member = membersOf(set).get(source);
  return member ? ruleOf(member) : removed;
}

/** The sources of which nothing that was deleted is handed out: where there is another one, all is to be looked at. */
export function strictSourcesOf({ members = [] }: Pick<ResourceSet, 'members'>): readonly string[] {
  return members.flatMap((member) => (ruleOf(member).ofDeleted ? [] : [member.source])).sort();
}

const known = new WeakMap<readonly ResourceSet[], ReadonlyMap<string, ResourceSet>>();

function membersOf({ members = [] }: JudgedSet): ReadonlyMap<string, ResourceSet> {
  const found = known.get(members) ?? new Map(members.map((member) => [member.source, member]));
  known.set(members, found);
  return found;
}

/** What is configured no more may hold anything of its source. */
function partOf(
  members: ReadonlyMap<string, ResourceSet>,
  { name }: Pick<MovedSource, 'name'>,
): Pick<ResourceSet, 'source' | 'filter'> {
  return members.get(name) ?? { source: name, filter: {} };
}

function ruleIn(members: ReadonlyMap<string, ResourceSet>, { name, removed_at }: MovedSource): WithheldRule {
  const member = members.get(name);
  return member && removed_at === null ? ruleOf(member) : removed;
}

async function isOfGone(db: Queryable, id: number, range: PackedRange, since: number): Promise<boolean> {
  const last = await lastOfGone(db, id, since);
  if (last === 0) return false;
  if (!range.parts) return true;
  const ids = range.parts.map(({ sourceId }) => sourceId);
  const rows: { source_id: number }[] = await db('joint_source').where({ joint_id: id }).select('source_id');
  const there = new Set(rows.map(({ source_id }) => source_id));
  return ids.some((sourceId) => !there.has(sourceId));
}

/** What a package has of these sources, in their own sequences. */
async function rangesIn(
  db: Queryable,
  id: number,
  range: PackedRange,
  sources: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, readonly PackedRange[]>> {
  const { parts } = range;
  if (parts) {
    const ranges = parts.map(({ sourceId, seq, ids }) => [sourceId, [{ afterSeq: 0, seq, ids }]] as const);
    return new Map(ranges);
  }
  const places = await placesWithin(
    db,
    id,
    range,
    sources.map((source) => source.id),
  );
  return new Map([...places].map(([sourceId, place]) => [sourceId, [place]]));
}

function bySource(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const sources = new Map<string, string[]>();
  for (const path of paths) {
    const [source = ''] = path.split('/', 1);
    const own = sources.get(source);
    if (own) own.push(path);
    else sources.set(source, [path]);
  }
  return sources;
}
