import { addSeconds } from '../../core/datetime.ts';
import type { Database } from '../engine/database.ts';

/** What a request was answered with that had a key (`Idempotency-Key`), for when it is sent again. */
export interface KeptAnswer {
  readonly status: number;
  readonly location?: string | undefined;
  readonly etag?: string | undefined;
  readonly mediaType?: string | undefined;
  /** Undefined: it was not kept. */
  readonly body: string | undefined;
}

/**
 * `new`: whoever asks does it, then says `keepAnswer` or `freeKey`; `other`: the key was given to another request;
 * `busy`: the same request is being answered.
 */
export type KeyState = 'new' | 'other' | 'busy' | KeptAnswer;

/** `who`: the account or token that it belongs to. */
export interface RequestKey {
  readonly who: string;
  readonly key: string;
}

interface AnswerRow {
  readonly request: string;
  readonly status: number | null;
  readonly location: string | null;
  readonly etag: string | null;
  readonly media_type: string | null;
  readonly body: string | null;
}

const keptSeconds = 86_400;
/** So long without `holdKey`, and whoever was to answer has died. */
const busySeconds = 60;
/** Of one account or token; more, and the oldest are forgotten. */
export const mostKeys = 1000;

/**
 * Takes a key for a request; of several that come at once, one has it.
 * @param request a hash of it
 * @param now ISO, by the clock that all processes at this database go by
 */
export function takeKey(
  database: Database,
  { who, key }: RequestKey,
  request: string,
  now: string,
): Promise<KeyState> {
  return database.transaction(async (trx) => {
    const own = () => trx('kept_answer').where({ who, key });
    await own().where('at', '<', addSeconds(now, -keptSeconds)).delete();
    await own().whereNull('status').where('at', '<', addSeconds(now, -busySeconds)).delete();
    const [taken] = await trx('kept_answer')
      .insert({ who, key, request, at: now })
      .onConflict(['who', 'key'])
      .ignore()
      .returning('key');
    if (taken !== undefined) {
      const oldest: { at: string } | undefined = await trx('kept_answer')
        .where({ who })
        .orderBy('at', 'desc')
        .offset(mostKeys)
        .first('at');
      if (oldest)
        await trx('kept_answer').where({ who }).whereNotNull('status').where('at', '<', oldest.at).delete();
      return 'new';
    }
    const row: AnswerRow | undefined = await own().first();
    // It has just been given up: whoever asks once more may have it.
    if (!row) return 'busy';
    if (row.request !== request) return 'other';
    if (row.status === null) return 'busy';
    const { status, location, etag, media_type: mediaType, body } = row;
    return {
      status,
      ...{ location: location ?? undefined, etag: etag ?? undefined },
      ...{ mediaType: mediaType ?? undefined, body: body ?? undefined },
    };
  });
}

/** Whoever took it still works on the answer; to be said more often than every 60 seconds. */
export async function holdKey(
  { writer }: Pick<Database, 'writer'>,
  { who, key }: RequestKey,
  now: string,
): Promise<void> {
  await writer('kept_answer').where({ who, key }).whereNull('status').update({ at: now });
}

/** For 24 hours from `now` on. */
export async function keepAnswer(
  { writer }: Pick<Database, 'writer'>,
  { who, key }: RequestKey,
  { status, location, etag, mediaType, body }: KeptAnswer,
  now: string,
): Promise<void> {
  await writer('kept_answer')
    .where({ who, key })
    .whereNull('status')
    .update({
      ...{ status, at: now, location: location ?? null, etag: etag ?? null },
      ...{ media_type: mediaType ?? null, body: body ?? null },
    });
}

/** It came to nothing: the same may be tried again. */
export async function freeKey({ writer }: Pick<Database, 'writer'>, { who, key }: RequestKey): Promise<void> {
  await writer('kept_answer').where({ who, key }).whereNull('status').delete();
}

/** Those that nobody can ask for any more. @returns how many there were */
export async function pruneAnswers({ writer }: Pick<Database, 'writer'>, now: string): Promise<number> {
  return writer('kept_answer').where('at', '<', addSeconds(now, -keptSeconds)).delete();
}
