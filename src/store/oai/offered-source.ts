import type { Knex } from 'knex';
import { anyInList, asList } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { questionByKey } from '../engine/question.ts';

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
  /** A pass through all of it has ended: what nobody has told of until now is not there. */
  readonly isKnown: boolean;
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly info: string | null;
  readonly removed_at: string | null;
  readonly journal_id: string | null;
  readonly journal_seq: number | string;
  readonly journal_at: string;
  readonly first_pass_seq: number | string | null;
}

const columns = [
  'id',
  'name',
  'info',
  'removed_at',
  'journal_id',
  'journal_seq',
  'journal_at',
  'first_pass_seq',
] as const;

const byName = questionByKey<Row, [name: string]>(1, (db, name) =>
  db('source')
    .select(...columns)
    .where({ name }),
);

const byIds = questionByKey<Row, [ids: string | readonly number[]]>(1, (db, ids) =>
  db('source')
    .select(...columns)
    .whereRaw(anyInList(db, 'id'), [ids as Knex.Value]),
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
  const rows = await byIds(db, asList(db, ids));
  return new Map(rows.map((row) => [row.id, toOffered(row)]));
}

function toOffered(row: Row): OfferedSource {
  return {
    id: row.id,
    name: row.name,
    info: row.info,
    removedAt: row.removed_at,
    journal: { id: row.journal_id ?? '', seq: Number(row.journal_seq), at: row.journal_at },
    isKnown: row.first_pass_seq !== null,
  };
}
