import type { Database, Queryable } from '../engine/database.ts';
import { sameSource } from '../rows/one-source.ts';
import { describeItems } from './described-items.ts';
import { forgetSome, replaceDescriptions } from './description-rows.ts';

/** Counted up when descriptions or words are made by other rules: then all are made anew. */
export const rules = 1;

/** Changes that are taken up at a time. */
const changesAtATime = 500;

/** How far what is said of a source's items has followed its journal. */
export interface Followed {
  readonly sourceId: number;
  readonly source: string;
  readonly seq: number;
  readonly journalSeq: number;
  /** Something may be said of its items. */
  readonly isKnown: boolean;
}

/** Of every source, in one query. */
export async function readFollowed(db: Queryable): Promise<readonly Followed[]> {
  const rows: { id: number; name: string; journal_seq: number; seq: number | null; rules: number | null }[] =
    await db('source')
      .leftJoin('described', 'described.source_id', 'source.id')
      .orderBy('source.id')
      .select('source.id', 'source.name', 'source.journal_seq', 'described.seq', 'described.rules');
  return rows.map((row) => ({
    sourceId: row.id,
    source: row.name,
    seq: row.rules === rules ? Number(row.seq ?? 0) : 0,
    journalSeq: Number(row.journal_seq),
    isKnown: row.seq !== null,
  }));
}

/**
 * Takes up the next changes of a source's journal: the items that they are of are described as they are now. One
 * transaction with its place: whoever is killed leaves it as it was, and of two that do the same, one does nothing.
 * @returns how far it is now; undefined where it is at the end
 */
export async function followJournal(
  database: Database,
  directory: string,
  { sourceId, seq, journalSeq }: Pick<Followed, 'sourceId' | 'seq' | 'journalSeq'>,
): Promise<number | undefined> {
  const changes = await changesAfter(database.reader, sourceId, seq);
  const last = Number(changes.at(-1)?.seq ?? 0);
  // Where there are no more, the journal is read to its end, whatever its last changes were of.
  const next = changes.length < changesAtATime ? Math.max(last, journalSeq) : last;
  if (next <= seq) return undefined;
  const itemIds = [...new Set(changes.filter(isLatest).map(({ item_id }) => Number(item_id)))];
  const described = await describeItems(database.reader, directory, sourceId, itemIds);
  const isOurs = await database.transaction(async (trx) => {
    // It may have been removed for good meanwhile.
    if (!(await trx('source').where({ id: sourceId }).first('id'))) return false;
    if (seq === 0)
      await trx('described').insert({ source_id: sourceId, seq: 0, rules }).onConflict('source_id').ignore();
    // Written first: another process that does the same waits here, and finds that it is done.
    const own = trx('described').where({ source_id: sourceId });
    if (seq === 0) own.where((any) => any.where({ seq: 0 }).orWhereNot({ rules }));
    else own.where({ seq, rules });
    if ((await own.update({ seq: next, rules })) === 0) return false;
    await replaceDescriptions(trx, sourceId, itemIds, described);
    return true;
  });
  return isOurs ? next : undefined;
}

interface ChangeRow {
  readonly seq: number;
  readonly item_id: number;
  readonly kind: string;
  readonly last_seq: number;
}

function changesAfter(db: Queryable, sourceId: number, seq: number): Promise<readonly ChangeRow[]> {
  return db('change')
    .join('resource', 'resource.id', 'change.resource_id')
    .modify(sameSource, 'resource', 'change')
    .where('change.source_id', sourceId)
    .where('change.seq', '>', seq)
    .orderBy('change.seq')
    .limit(changesAtATime)
    .select('change.seq', 'resource.item_id', 'resource.kind', 'resource.last_seq');
}

/** What has changed again since comes again. */
function isLatest({ seq, kind, last_seq }: ChangeRow): boolean {
  return kind === 'metadata' && Number(seq) === Number(last_seq);
}

/** How much there is to be taken up, and how much of it has been, in changes of sources that are searched. */
export async function readProgress(
  db: Queryable,
  isSearched: (source: string) => boolean,
): Promise<{ readonly done: number; readonly total: number }> {
  const own = (await readFollowed(db)).filter(({ source }) => isSearched(source));
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  return {
    done: sum(own.map(({ seq, journalSeq }) => Math.min(seq, journalSeq))),
    total: sum(own.map(({ journalSeq }) => journalSeq)),
  };
}

/** Forgets some of what is said of a source. @returns whether anything is left */
export function forgetSource(database: Database, sourceId: number): Promise<boolean> {
  return database.transaction(async (trx) => {
    await trx('described').where({ source_id: sourceId }).update({ seq: 0 });
    const isLeft = (await forgetSome(trx, sourceId, changesAtATime)) > 0;
    if (!isLeft) await trx('described').where({ source_id: sourceId }).delete();
    return isLeft;
  });
}
