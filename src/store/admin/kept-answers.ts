import { addSeconds } from '../../core/datetime.ts';
import type { Database } from '../engine/database.ts';

/** What a request was answered with that somebody gave a key (`Idempotency-Key`), so that it may be sent again. */
export interface KeptAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

/** `new`: whoever asks does it; `other`: the key was another request's; `busy`: it is being answered. */
export type KeyState = 'new' | 'other' | 'busy' | KeptAnswer;

interface AnswerRow {
  readonly request: string;
  readonly status: number | null;
  readonly location: string | null;
  readonly body: string | null;
  readonly at: string;
}

interface Key {
  readonly who: string;
  readonly key: string;
}

const keptSeconds = 86_400;
/** After this, whoever was to answer has died. */
const busySeconds = 60;

/**
 * Takes a key for a request; of two that come at once, one has it.
 * @param request a hash of it
 */
export function takeKey(
  database: Database,
  { who, key }: Key,
  request: string,
  now: string,
): Promise<KeyState> {
  return database.transaction(async (trx) => {
    await trx('kept_answer').where('at', '<', addSeconds(now, -keptSeconds)).delete();
    await trx('kept_answer')
      .where({ who, key })
      .whereNull('status')
      .where('at', '<', addSeconds(now, -busySeconds))
      .delete();
    const [taken] = await trx('kept_answer')
      .insert({ who, key, request, at: now })
      .onConflict(['who', 'key'])
      .ignore()
      .returning('key');
    if (taken) return 'new';
    const row: AnswerRow | undefined = await trx('kept_answer').where({ who, key }).first();
    if (!row || row.request !== request) return 'other';
    if (row.status === null) return 'busy';
    return { status: row.status, location: row.location ?? undefined, body: row.body ?? '' };
  });
}

export async function keepAnswer(
  { writer }: Pick<Database, 'writer'>,
  { who, key }: Key,
  { status, location, body }: KeptAnswer,
): Promise<void> {
  await writer('kept_answer')
    .where({ who, key })
    .update({ status, location: location ?? null, body });
}

/** It came to nothing: the same may be tried again. */
export async function freeKey({ writer }: Pick<Database, 'writer'>, { who, key }: Key): Promise<void> {
  await writer('kept_answer').where({ who, key }).whereNull('status').delete();
}
