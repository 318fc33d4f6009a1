import type { Knex } from 'knex';
import { addSeconds } from '../../core/datetime.ts';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import type { ObjectStore } from '../../core/payloads/object-store.ts';
import { batches } from '../engine/batches.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';

/**
 * Names in the object storage that nothing refers to: the table `doomed_object`. A name is never given twice. It is
 * written here before its object, and leaves in the transaction that refers to it; what nothing refers to any more
 * comes back. So nothing is deleted that is needed, nothing has to be looked for in the bucket, and no lock is held while
 * it is asked.
 */

/** The longest upload. */
const uploadSeconds = 7 * 86_400;
/** The longest download: whoever began one may end it. */
const downloadSeconds = 2 * 86_400;
const keysAtATime = 500;

/** Before it is written. */
export async function announceObjects(
  database: Database,
  keys: readonly string[],
  now: string,
): Promise<void> {
  const due_at = addSeconds(now, uploadSeconds);
  const rows = keys.map((key) => ({ key, due_at }));
  await database.transaction(async (trx) => {
    await insertRows(trx, 'doomed_object', rows);
  });
}

/**
 * In the transaction that refers to them.
 * @throws BridgeError `objects-unavailable` where one took so long that it may have been deleted
 */
export async function keepObjects(trx: Knex.Transaction, keys: readonly string[]): Promise<void> {
  for (const some of batches(keys, keysAtATime)) {
    const kept = await trx('doomed_object')
      .modify((query) => whereAnyOf(query, 'key', some))
      .delete();
    if (kept === some.length) continue;
    const message = 'an object took too long to be written, and is written again the next time';
    throw new BridgeError('objects-unavailable', message, { retryable: true });
  }
}

/** Of what was announced, or referred to until now. @param urgent whoever is reading them is not waited for */
export async function doomObjects(
  trx: Knex.Transaction,
  keys: readonly string[],
  now: string,
  urgent = false,
): Promise<void> {
  const due_at = urgent ? now : addSeconds(now, downloadSeconds);
  const rows = keys.map((key) => ({ key, due_at }));
  await insertRows(trx, 'doomed_object', rows, { conflict: { columns: ['key'], update: ['due_at'] } });
}

/**
 * Deletes what is due. An object storage that does not answer keeps nobody from anything else: its turn comes again.
 * @returns how many were deleted
 */
export async function deleteDoomed(
  database: Database,
  store: ObjectStore,
  now: string,
  signal?: AbortSignal,
): Promise<number> {
  for (let deleted = 0; ; ) {
    const rows: { key: string }[] = await database
      .reader('doomed_object')
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .limit(keysAtATime)
      .select('key');
    for (const { key } of rows) {
      signal?.throwIfAborted();
      try {
        await store.delete(key, signal);
      } catch (error) {
        if (isBridgeError(error, 'objects-unavailable')) return deleted;
        throw error;
      }
      await database.writer('doomed_object').where({ key }).delete();
      deleted += 1;
    }
    if (rows.length < keysAtATime) return deleted;
  }
}
