import type { Knex } from 'knex';
import { addSeconds, longAgo, toMilliseconds } from '../../core/datetime.ts';
import { type Fuse, isTooMuchFor } from '../../core/files/fuse.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { ofSource, sameSource } from '../rows/one-source.ts';
import { doubtedAt } from './remote-files.ts';

/**
 * Files that are published and whose servers say no: withheld at once, and then either withdrawn, which deletes
 * them, or, where so many are that it may be an accident, left as they are until a person or their server decides.
 * The table `remote_file` holds it by URL, `source` when somebody is to look.
 */
export interface Weighed {
  /** `held`: too many at once, or perhaps: others are asked for. */
  readonly state: 'none' | 'withdrawn' | 'held';
  readonly files: number;
}

const day = 86_400;
const firstProbeSeconds = 60;
const lastProbeSeconds = 6 * 3600;
const probes = 20;

/** Which of these URLs are published by this source. */
export async function publishedUrls(
  trx: Knex.Transaction,
  sourceId: number,
  urls: readonly string[],
): Promise<ReadonlySet<string>> {
  if (urls.length === 0) return new Set();
  const rows: { url: string }[] = await livingOf(trx)
    .distinct('stated.url')
    .where('stated.source_id', sourceId)
    .modify((query) => whereAnyOf(query, 'stated.url', urls));
  return new Set(rows.map(({ url }) => url));
}

/** Somebody is to look at new refusals of a source; where too many are held already, they wait with the others. */
export async function callForWeighing(trx: Knex.Transaction, sourceId: number, now: string): Promise<void> {
  await trx('source')
    .where({ id: sourceId, fuse_at: null })
    .where((late) => late.whereNull('refusals_due').orWhere('refusals_due', '>', now))
    .update({ refusals_due: now });
}

/** Looks into the index of files at a time: a few milliseconds. */
const looksAtATime = 10_000;

/**
 * What has been refused to one source, which published it, is asked for at once by all others that have it, each by its own means, and is
 * not handed out by them until then: somebody else may be allowed more. Where so much is refused that it may be an accident, nothing follows.
 */
export async function doubtElsewhere(
  db: Queryable,
  sourceId: number,
  urls: readonly string[],
  now: string,
): Promise<void> {
  if (urls.length === 0) return;
  const sources: { id: number; fuse_at: string | null }[] = await db('source').select('id', 'fuse_at');
  if (sources.some(({ id, fuse_at }) => id === sourceId && fuse_at !== null)) return;
  const others = sources.flatMap(({ id }) => (id === sourceId ? [] : id));
  if (others.length === 0) return;
  const atATime = Math.max(1, Math.floor(looksAtATime / others.length));
  for (let next = 0; next < urls.length; next += atATime) {
    const found: { id: number; source_id: number }[] = await db('remote_file')
      .modify((query) => whereAnyOf(query, 'source_id', others))
      .modify((query) => whereAnyOf(query, 'url', urls.slice(next, next + atATime)))
      .whereIn('outcome', ['confirmed', 'unreachable'])
      .select('id', 'source_id');
    for (const id of new Set(found.map(({ source_id }) => source_id))) {
      const files = found.flatMap((file) => (file.source_id === id ? file.id : []));
      await db('remote_file')
        .where({ source_id: id })
        .modify((query) => whereAnyOf(query, 'id', files))
        .update({ due_at: doubtedAt });
      await db('source')
        .where({ id })
        .where((late) => late.whereNull('refusals_due').orWhere('refusals_due', '>', now))
        .update({ refusals_due: now });
    }
  }
}

/** One of many that were withheld is handed out again: the others are asked for, and those that went with them. */
export async function askAllWithheld(trx: Knex.Transaction, sourceId: number, now: string): Promise<void> {
  await trx('remote_file')
    .where({ source_id: sourceId })
    .where((either) => either.whereNotNull('withheld_at').orWhereNotNull('withdrawn_at'))
    .where((late) => late.whereNull('due_at').orWhere('due_at', '>', now))
    .update({ due_at: now });
  await trx('source').where({ id: sourceId }).update({ refusals_due: now });
}

/** Configured names of sources whose refusals somebody is to look at. */
export async function listCalledFor(db: Queryable, now: string): Promise<readonly string[]> {
  const rows: { name: string }[] = await db('source').select('name').where('refusals_due', '<=', now);
  return rows.map(({ name }) => name);
}

export async function isCalledFor(db: Queryable, sourceId: number, now: string): Promise<boolean> {
  const row: unknown = await db('source')
    .where({ id: sourceId })
    .where('refusals_due', '<=', now)
    .first(db.raw('1 as one'));
  return row !== undefined;
}

/**
 * Decides about the files of a source that are withheld: as few as usual are withdrawn, and their items marked, which
 * deletes them; of too many nothing is deleted, and a few are asked for again now and then.
 */
export async function weighRefusals(
  database: Database,
  sourceId: number,
  fuse: Fuse | undefined,
  now: string,
): Promise<Weighed> {
  if (!(await hasAny(database.writer, sourceId))) return { state: 'none', files: 0 };
  return database.transaction(async (trx) => {
    // Written first: whoever else weighs waits.
    const row = await lockSource(trx, sourceId);
    const withheld = () => trx('remote_file').where({ source_id: sourceId }).whereNotNull('withheld_at');
    await withheld()
      .whereNotExists(
        livingOf(trx)
          .select(trx.raw('1'))
          .whereRaw('stated.source_id = remote_file.source_id and stated.url = remote_file.url'),
      )
      .update({ withheld_at: null });
    const [counted] = await withheld().count({ files: '*' }).min({ since: 'withheld_at' });
    const files = Number(counted?.files ?? 0);
    if (files === 0) {
      await trx('source').where({ id: sourceId }).update({ refusals_due: null, fuse_at: null });
      return { state: 'none', files };
    }
    const isOut =
      fuse &&
      ((await isTooMuch(trx, sourceId, files, fuse, now)) ||
        (await isSilentSince(trx, sourceId, row.fuse_at)));
    if (isOut) {
      const isTime = row.fuse_at === null || row.refusals_due === null || row.refusals_due <= now;
      if (isTime) await probe(trx, sourceId, String(counted?.since ?? now), now);
      await trx('source')
        .where({ id: sourceId })
        .update({ fuse_at: row.fuse_at ?? now });
      return { state: 'held', files };
    }
    if (fuse && (await soundOut(trx, sourceId, now))) return { state: 'held', files };
    await withdraw(trx, sourceId, now, withheld());
    return { state: 'withdrawn', files };
  });
}

/** What was decided has been carried out. */
export async function forgetWithdrawn(database: Database, sourceId: number, now: string): Promise<void> {
  await database
    .writer('remote_file')
    .where({ source_id: sourceId })
    .where('withdrawn_at', '<', addSeconds(now, -day))
    .update({ withdrawn_at: null });
}

/**
 * A person has looked at what is withheld: it goes, and is not counted against what is withheld later.
 * @param until what is withheld since then at the latest was shown, and nothing else; ISO UTC
 * @returns how many of those are withheld still
 */
export async function acceptRefusals(
  database: Database,
  sourceId: number,
  until: string,
  now: string,
): Promise<number> {
  return database.transaction(async (trx) => {
    await lockSource(trx, sourceId);
    await trx('remote_file')
      .where({ source_id: sourceId })
      .whereNotNull('withdrawn_at')
      .update({ withdrawn_at: longAgo });
    const these = trx('remote_file').where({ source_id: sourceId }).where('withheld_at', '<=', until);
    const accepted = await withdraw(trx, sourceId, longAgo, these);
    await trx('source').where({ id: sourceId }).update({ refusals_due: now });
    return accepted;
  });
}

async function withdraw(
  trx: Knex.Transaction,
  sourceId: number,
  at: string,
  files: Knex.QueryBuilder,
): Promise<number> {
  const count = Number(await files.update({ withheld_at: null, withdrawn_at: at }));
  await trx('item')
    .whereIn('id', itemsOfWithdrawn(trx, sourceId).select('stated.item_id'))
    .modify(ofSource, 'item', sourceId)
    .update({ unsettled: 1 });
  await trx('source').where({ id: sourceId }).update({ fuse_at: null });
  return count;
}

/** Statements about files that were withdrawn of late: their items lose them before anything else. */
export function itemsOfWithdrawn(db: Queryable, sourceId: number): Knex.QueryBuilder {
  return db('remote_file as withdrawn')
    .join('item_file as stated', (on) =>
      on.on('stated.source_id', 'withdrawn.source_id').andOn('stated.url', 'withdrawn.url'),
    )
    .where('withdrawn.source_id', sourceId)
    .whereNotNull('withdrawn.withdrawn_at');
}

/** What a person was asked to look at stays a question until the server hands out anything again. */
async function isSilentSince(trx: Knex.Transaction, sourceId: number, at: string | null): Promise<boolean> {
  if (at === null) return false;
  const good: unknown = await trx('remote_file')
    .where({ source_id: sourceId, outcome: 'confirmed' })
    .where('checked_at', '>', at)
    .first(trx.raw('1 as one'));
  return good === undefined;
}

async function isTooMuch(
  trx: Knex.Transaction,
  sourceId: number,
  withheld: number,
  fuse: Fuse,
  now: string,
): Promise<boolean> {
  const [row] = await trx('remote_file')
    .where({ source_id: sourceId })
    .where('withdrawn_at', '>=', addSeconds(now, -day))
    .count({ files: '*' });
  const recent = Number(row?.files ?? 0);
  const lost = withheld + recent;
  if (lost <= fuse.atLeast) return false;
  const [living] = await trx('resource')
    .where({ source_id: sourceId, kind: 'file' })
    .whereNull('deleted_at')
    .count({ files: '*' });
  return isTooMuchFor(fuse, lost, Number(living?.files ?? 0) + recent);
}

/** So many in a row, and nothing but these, may be the beginning of more. */
const inARow = 5;
const soundingSeconds = 5;

/**
 * Where a server has said nothing but no of late, others of its files are asked for before anything is deleted.
 * @returns false where it has handed out a file since, or nobody is left to be asked for
 */
async function soundOut(trx: Knex.Transaction, sourceId: number, now: string): Promise<boolean> {
  const of = (outcomes: readonly string[]) =>
    trx('remote_file')
      .where({ source_id: sourceId })
      .whereIn('outcome', [...outcomes]);
  const [good] = await of(['confirmed']).max({ at: 'checked_at' });
  const [bad] = await of(['refused', 'gone'])
    .where('checked_at', '>', good?.at ?? '')
    .count({ files: '*' })
    .min({ since: 'checked_at' });
  if (Number(bad?.files ?? 0) < inARow) return false;
  const others: { id: number }[] = await of(['unchecked', 'confirmed'])
    .select('id')
    .where((asked) => asked.whereNull('checked_at').orWhere('checked_at', '<', bad?.since ?? now))
    .whereExists(
      livingOf(trx)
        .select(trx.raw('1'))
        .whereRaw('stated.source_id = remote_file.source_id and stated.url = remote_file.url'),
    )
    .orderBy('id')
    .limit(probes);
  if (others.length === 0) return false;
  const ids = others.map(({ id }) => id);
  await trx('remote_file')
    .modify((query) => whereAnyOf(query, 'id', ids))
    .modify(ofSource, 'remote_file', sourceId)
    .update({ due_at: longAgo });
  const refusals_due = addSeconds(now, soundingSeconds);
  await trx('source').where({ id: sourceId }).update({ refusals_due });
  return true;
}

/** Those that were not asked for the longest; later and later, as long as their server says no. */
async function probe(trx: Knex.Transaction, sourceId: number, since: string, now: string): Promise<void> {
  const rows: { id: number }[] = await trx('remote_file')
    .select('id')
    .where({ source_id: sourceId })
    .whereNotNull('withheld_at')
    .orderBy(['checked_at', 'id'])
    .limit(probes);
  await trx('remote_file')
    .modify((query) =>
      whereAnyOf(
        query,
        'id',
        rows.map(({ id }) => id),
      ),
    )
    .modify(ofSource, 'remote_file', sourceId)
    .update({ due_at: longAgo });
  const age = (toMilliseconds(now) - toMilliseconds(since)) / 1000;
  const wait = Math.min(Math.max(age, firstProbeSeconds), lastProbeSeconds);
  await trx('source')
    .where({ id: sourceId })
    .update({ refusals_due: addSeconds(now, Math.round(wait)) });
}

async function hasAny(db: Queryable, sourceId: number): Promise<boolean> {
  const row: unknown = await db('remote_file')
    .where({ source_id: sourceId })
    .whereNotNull('withheld_at')
    .first(db.raw('1 as one'));
  if (row !== undefined) return true;
  const source: { refusals_due: string | null } | undefined = await db('source')
    .where({ id: sourceId })
    .first('refusals_due');
  return source !== undefined && source.refusals_due !== null;
}

async function lockSource(
  trx: Knex.Transaction,
  sourceId: number,
): Promise<{ readonly refusals_due: string | null; readonly fuse_at: string | null }> {
  await trx('source').where({ id: sourceId }).update({ id: sourceId });
  return trx('source').where({ id: sourceId }).first('refusals_due', 'fuse_at');
}

/** Statements about files that are published. */
function livingOf(db: Queryable): Knex.QueryBuilder {
  return db('item_file as stated')
    .join('resource', (on) =>
      on.on('resource.item_id', 'stated.item_id').andOn('resource.upstream_url', 'stated.url'),
    )
    .where('resource.kind', 'file')
    .modify(sameSource, 'resource', 'stated')
    .whereNull('resource.deleted_at');
}
