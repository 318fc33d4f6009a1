import type { ResourceSet } from '../../core/resource-set.ts';
import { isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { jointPlaces, listJointSources, listJointSteps, readJointJournal } from '../joint/joint-journal.ts';
import { lastOfGone, placeInJoint } from '../joint/moved-sources.ts';
import type { Joint } from '../joint/take-up.ts';
import { columnsOfChange } from '../rows/change-facts.ts';
import { withLinks } from '../rows/link-forms.ts';
import {
  type ChangeEntry,
  type ChangeRange,
  type ChangeRow,
  toChangeEntry,
  whereOfSet,
} from './change-rows.ts';

/** What sets across sources have, from what their sources have. */

/** Changes that are read with one statement: what outlives a page is copied by the garbage collector. */
const rowsAtATime = 500;

/** What its journal is to take up. */
export function jointOf(set: ResourceSet): Joint {
  return { name: set.source, members: new Set(set.members?.map(({ source }) => source)) };
}

/** The parts of a set in those of its sources that it has taken up. */
export async function membersTakenUp(db: Queryable, set: ResourceSet): Promise<readonly ResourceSet[]> {
  const journal = await readJointJournal(db, set.source);
  if (!journal) return [];
  const members = membersOf(set);
  const sources = await listJointSources(db, journal.id);
  return sources.flatMap(({ name }) => members.get(name) ?? []);
}

/**
 * The changes of a set across sources in the order in which it took them up: `seq` and `datetime` are its own. The number of
 * statements grows with that of the changes, not with that of the sources.
 */
export async function* listJointChanges(
  db: Queryable,
  set: ResourceSet,
  range: ChangeRange,
  rowsAtOnce = rowsAtATime,
): AsyncGenerator<readonly ChangeEntry[]> {
  const journal = await readJointJournal(db, set.source);
  if (!journal) return;
  const members = membersOf(set);
  const upToSeq = Math.min(range.upToSeq ?? journal.journal_seq, journal.journal_seq);
  const names = new Map<number, KnownSource>();
  for (let after = range.afterSeq; after < upToSeq; ) {
    const piece = await nextPiece(db, journal.id, { after, upToSeq, rowsAtOnce });
    if (!piece) return;
    const rows = await readRows(db, set, journal.id, { ...range, ...piece });
    await withLinks(db, rows, ['links', 'links_before']);
    await learnNames(db, rows, names);
    const entries = rows.flatMap((row) => {
      const source = names.get(row.source_id);
      const member = source && (members.get(source.name) ?? leaving(set, source));
      if (!source || !member) return [];
      return toChangeEntry(row, member, range.withFate).map((entry) => ({ ...entry, source: source.name }));
    });
    if (entries.length > 0) yield entries;
    after = piece.upToSeq;
  }
}

/** The parts of a set, each with where the journal of its source stood when that of the set had come to `seq`. */
export async function membersAt(
  db: Queryable,
  set: ResourceSet,
  seq: number,
): Promise<readonly { readonly member: ResourceSet; readonly seq: number }[]> {
  const journal = await readJointJournal(db, set.source);
  if (!journal) return [];
  const [members, places] = [membersOf(set), await jointPlaces(db, journal.id, seq)];
  return (await listJointSources(db, journal.id)).flatMap(({ id, name }) => {
    const [member, place] = [members.get(name), places.get(id)];
    return member && place !== undefined ? [{ member, seq: place }] : [];
  });
}

/**
 * The last change of the set that made something whose bytes nobody has; 0 where there is none. What there is no row of any
 * more, because its source is gone, has none either.
 * @param ofMember the same of one of its parts, in the sequences of its source
 */
export async function lastUnkeptJointly(
  db: Queryable,
  set: ResourceSet,
  ofMember: (db: Queryable, member: ResourceSet) => Promise<number>,
): Promise<number> {
  const journal = await readJointJournal(db, set.source);
  if (!journal) return 0;
  const [members, began] = [membersOf(set), journal.first_pass_seq ?? 0];
  let last = await lastOfGone(db, journal.id, began);
  for (const { id, name } of await listJointSources(db, journal.id)) {
    const member = members.get(name);
    const seq = member ? await ofMember(db, member) : 0;
    if (seq > 0) last = Math.max(last, await placeInJoint(db, journal.id, id, seq));
  }
  return last;
}

/** Whether something that may not be handed out any more has gone from a set between two sequences of its journal. */
export async function losesWithheld(
  db: Queryable,
  set: ResourceSet,
  afterSeq: number,
  upToSeq: number,
): Promise<boolean> {
  const members = membersOf(set);
  for await (const page of listJointChanges(db, set, {
    afterSeq,
    upToSeq,
    deletedOnly: true,
    withFate: true,
  }))
    for (const { source = '', kind, deletedAt, withdrawnAt } of page) {
      const isWithheld =
        kind === 'file' || withdrawnAt !== undefined || members.get(source)?.ofDeleted === false;
      if (deletedAt !== undefined && isWithheld) return true;
    }
  return false;
}

interface KnownSource {
  readonly name: string;
  readonly removedAt: string | null;
}

interface JointRow extends ChangeRow {
  readonly source_id: number;
}

function membersOf({ members = [] }: ResourceSet): ReadonlyMap<string, ResourceSet> {
  return new Map(members.map((member) => [member.source, member]));
}

/** What was removed is configured no more, and its deletions are for those who follow the set. */
function leaving(set: ResourceSet, { name, removedAt }: KnownSource): ResourceSet | undefined {
  if (removedAt === null) return undefined;
  const { collections, ...filter } = set.filter;
  const own = collections?.flatMap((text) => {
    const slash = text.indexOf('/');
    return slash < 0 ? [text] : text.startsWith(`${name}/`) ? [text.slice(slash + 1)] : [];
  });
  return {
    ...set,
    source: name,
    members: undefined,
    mementos: 'none',
    filter: own ? { ...filter, collections: own } : filter,
  };
}

/** Changes that are read at once, and the last of the steps that they are in: one step may be all that a source had when it joined. */
interface Piece {
  readonly afterSeq: number;
  readonly upToSeq: number;
  readonly lastStep: number;
}

async function nextPiece(
  db: Queryable,
  id: number,
  { after, upToSeq, rowsAtOnce }: { after: number; upToSeq: number; rowsAtOnce: number },
): Promise<Piece | undefined> {
  const steps = await listJointSteps(db, id, after, rowsAtOnce);
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last) return undefined;
  // The steps of a source that has left are gone.
  const afterSeq = Math.max(after, Math.min(upToSeq, first.seq - first.changes));
  const end = Math.min(upToSeq, last.seq, afterSeq + rowsAtOnce);
  const within = steps.filter(({ seq, changes }) => seq - changes < end);
  return { afterSeq, upToSeq: end, lastStep: within.at(-1)?.seq ?? 0 };
}

const ofChange = [
  'seq',
  'kind',
  'resource_id',
  'links',
  'links_before',
  'lastmod',
  'media_type',
  'length',
  'hash',
];

/**
 * First the changes alone, by their place in the journals of their sources, and no more of them than the planner is told;
 * then what they were made to: so a database has no reason to read all resources instead.
 */
async function readRows(
  db: Queryable,
  set: ResourceSet,
  id: number,
  range: Piece & ChangeRange,
): Promise<readonly JointRow[]> {
  const { afterSeq, upToSeq, lastStep } = range;
  const most = upToSeq - afterSeq;
  const place = 'step.seq - step.source_seq + found.seq';
  const [larger, smaller] = isPostgres(db) ? ['greatest', 'least'] : ['max', 'min'];
  const inSource = '? - step.seq + step.source_seq';
  const within = `found.source_id = step.source_id
    and found.seq > ${larger}(step.source_seq - step.changes, ${inSource}) and found.seq <= ${smaller}(step.source_seq, ${inSource})`;
  const columns = ofChange.map((column) => `found.${column}`).join(', ');
  const from = isPostgres(db)
    ? `joint_step as step cross join lateral (select * from change as found where ${within} order by found.seq limit ${most}) as found`
    : `joint_step as step cross join change as found on ${within}`;
  const changes = db.raw(
    `(select ${place} as place, step.at as at, step.source_id, ${columns} from ${from}
    where step.joint_id = ? and step.seq > ? and step.seq <= ?
    order by step.seq, found.seq limit ${most}) as change`,
    [afterSeq, upToSeq, id, afterSeq, lastStep],
  );
  const query = db
    .select('change.place as seq', 'change.source_id', ...columnsOfChange(db))
    .from(changes)
    .join('resource', (on) => {
      on.on('resource.id', 'change.resource_id');
      if (isPostgres(db)) on.andOn('resource.source_id', 'change.source_id');
    })
    .leftJoin('version', (on) =>
      on
        .on('version.source_id', 'change.source_id')
        .andOn('version.resource_id', 'change.resource_id')
        .andOn('version.seq', 'change.seq'),
    )
    .modify(whereOfSet, set)
    .orderBy('change.place');
  if (range.latestOnly) {
    query.join('joint_source as taken', (on) =>
      on.on('taken.source_id', 'change.source_id').andOn('taken.joint_id', db.raw('?', [id])),
    );
    // What has happened to it and is not taken up yet does not count yet.
    query.whereRaw(`(resource.last_seq = change.seq or (resource.last_seq > taken.seq and not exists (
      select 1 from change as later where later.source_id = change.source_id and later.resource_id = change.resource_id
        and later.seq > change.seq and later.seq <= taken.seq)))`);
  }
  if (range.deletedOnly) query.where('change.kind', 'deleted');
  return query;
}

async function learnNames(
  db: Queryable,
  rows: readonly JointRow[],
  names: Map<number, KnownSource>,
): Promise<void> {
  const unknown = [...new Set(rows.map((row) => row.source_id))].filter((id) => !names.has(id));
  if (unknown.length === 0) return;
  const found: { id: number; name: string; removed_at: string | null }[] = await db('source')
    .select('id', 'name', 'removed_at')
    .modify((query) => whereAnyOf(query, 'id', unknown));
  for (const { id, name, removed_at: removedAt } of found) names.set(id, { name, removedAt });
}
