import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { question } from '../engine/question.ts';

/** A source as every answer begins with it: what it says of itself, and where its journal stands. */
export interface OfferedSource {
  readonly id: number;
  readonly name: string;
  /** `RepositoryInfo` as JSON: the same text is read once. Null: the repository has not answered yet. */
  readonly info: string | null;
  /** When everything of it was deleted because it was removed. */
  readonly removedAt: string | null;
  /** As `JournalState` has them. */
  readonly journal: { readonly id: string; readonly seq: number; readonly at: string };
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly info: string | null;
  readonly removed_at: string | null;
  readonly journal_id: string | null;
  readonly journal_seq: number | string;
  readonly journal_at: string;
}

const columns = ['id', 'name', 'info', 'removed_at', 'journal_id', 'journal_seq', 'journal_at'] as const;

const byName = question<Row, [name: string]>(1, (db, name) =>
  db('source')
    .select(...columns)
    .where({ name }),
);

export async function readOfferedSource(db: Queryable, name: string): Promise<OfferedSource | undefined> {
  const [row] = await byName(db, name);
  return row && toOffered(row);
}

/** Of a few, by their numbers. */
export async function readOfferedSources(
  db: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, OfferedSource>> {
  if (ids.length === 0) return new Map();
  const rows: Row[] = await db('source')
    .modify((query) => whereAnyOf(query, 'id', ids))
    .select(...columns);
  return new Map(rows.map((row) => [row.id, toOffered(row)]));
}

function toOffered({ id, name, info, removed_at, journal_id, journal_seq, journal_at }: Row): OfferedSource {
  const journal = { id: journal_id ?? '', seq: Number(journal_seq), at: journal_at };
  return { id, name, info, removedAt: removed_at, journal };
}
