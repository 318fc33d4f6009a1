import { addSeconds } from '../../core/datetime.ts';
import type { DraftChoices, DraftFound, DraftTrial } from '../../core/drafts/source-draft.ts';
import type { Database, Queryable } from '../engine/database.ts';

/**
 * How far a source is that somebody is about to add: `waiting` and `looking` for what is at its address, `found`; `trying`
 * how it would be published, `tried`; `failed`; `saved`.
 */
export const draftStates = ['waiting', 'looking', 'found', 'trying', 'tried', 'failed', 'saved'] as const;
export type DraftState = (typeof draftStates)[number];

/** A source that somebody is about to add. Times are ISO. */
export interface Draft {
  readonly id: number;
  readonly address: string;
  readonly choices: DraftChoices;
  /** Undefined: nothing yet. */
  readonly found: DraftFound | undefined;
  readonly trial: DraftTrial | undefined;
  readonly state: DraftState;
  /** Of what failed. */
  readonly code: string | undefined;
  /** The same; before that, how far it is. */
  readonly message: string | undefined;
  /** The name under which it was kept. */
  readonly source: string | undefined;
  readonly who: string;
  readonly at: string;
  readonly updatedAt: string;
  /** Beyond it, whoever worked on it has died. */
  readonly busyUntil: string | undefined;
}

interface DraftRow {
  readonly id: number;
  readonly address: string;
  readonly choices: string;
  readonly found: string | null;
  readonly trial: string | null;
  readonly state: DraftState;
  readonly code: string | null;
  readonly message: string | null;
  readonly source: string | null;
  readonly who: string;
  readonly at: string;
  readonly updated_at: string;
  readonly busy_until: string | null;
}

const keptSeconds = 30 * 86_400;
/** One person does not fill the database with addresses. */
const mostOpen = 200;

/** @returns its number; those that are older than thirty days, or beyond the newest two hundred, go */
export function addDraft(
  database: Database,
  { address, choices, who }: Pick<Draft, 'address' | 'choices' | 'who'>,
  now: string,
): Promise<number> {
  return database.transaction(async (trx) => {
    await trx('draft').where('updated_at', '<', addSeconds(now, -keptSeconds)).delete();
    const [row] = await trx('draft')
      .insert({
        ...{ address, choices: JSON.stringify(choices), state: 'waiting', who },
        ...{ at: now, updated_at: now },
      })
      .returning<{ id: number }[]>('id');
    const id = Number(row?.id);
    const newest = trx('draft').select('id').orderBy('id', 'desc').limit(mostOpen);
    await trx('draft')
      .whereNotIn('id', (ids) => ids.from(newest.as('newest')).select('id'))
      .delete();
    return id;
  });
}

export async function findDraft(db: Queryable, id: number): Promise<Draft | undefined> {
  const row: DraftRow | undefined = await db('draft').where({ id }).first();
  return row && toDraft(row);
}

/** The newest first, without what was found and tried. */
export async function listDrafts(db: Queryable, limit: number): Promise<readonly Draft[]> {
  const rows: DraftRow[] = await db('draft')
    .orderBy('id', 'desc')
    .limit(limit)
    .select('id', 'address', 'state', 'code', 'message', 'source', 'who', 'at', 'updated_at', 'busy_until');
  return rows.map((row) => toDraft({ ...row, choices: '{}', found: null, trial: null }));
}

export type DraftNews = Partial<
  Pick<Draft, 'choices' | 'found' | 'trial' | 'state' | 'code' | 'message' | 'source' | 'busyUntil'>
>;

/**
 * Writes what is news; of what failed before, nothing stays.
 * @param only the states in which it may be; default: any
 * @returns false where it is in another one, or gone
 */
export async function changeDraft(
  { writer }: Pick<Database, 'writer'>,
  id: number,
  news: DraftNews,
  now: string,
  only: readonly DraftState[] = draftStates,
): Promise<boolean> {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  const changed = await writer('draft')
    .where({ id })
    .whereIn('state', only)
    .update({
      updated_at: now,
      code: news.code ?? null,
      message: news.message?.slice(0, 4000) ?? null,
      busy_until: news.busyUntil ?? null,
      ...(news.state === undefined ? {} : { state: news.state }),
      ...(news.source === undefined ? {} : { source: news.source }),
      ...(news.choices === undefined ? {} : { choices: JSON.stringify(news.choices) }),
      ...('found' in news ? { found: json(news.found) } : {}),
      ...('trial' in news ? { trial: json(news.trial) } : {}),
    });
  return changed > 0;
}

/** @returns whether there was one */
export async function removeDraft({ writer }: Pick<Database, 'writer'>, id: number): Promise<boolean> {
  return (await writer('draft').where({ id }).delete()) > 0;
}

function toDraft(row: DraftRow): Draft {
  const { id, address, state, who, at, updated_at: updatedAt } = row;
  return {
    ...{ id, address, state, who, at, updatedAt },
    choices: JSON.parse(row.choices) as DraftChoices,
    found: row.found === null ? undefined : (JSON.parse(row.found) as DraftFound),
    trial: row.trial === null ? undefined : (JSON.parse(row.trial) as DraftTrial),
    code: row.code ?? undefined,
    message: row.message ?? undefined,
    source: row.source ?? undefined,
    busyUntil: row.busy_until ?? undefined,
  };
}
