import type { Knex } from 'knex';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';
import type { Redelivered } from '../plans/known-files.ts';
import { askAgain } from './private-files.ts';

export async function storeRedelivered(
  trx: Knex.Transaction,
  sourceId: number,
  { urls, restated, ifChanged, always }: Redelivered,
  now: string,
): Promise<void> {
  const rowsOf = (some: readonly string[]) =>
    trx('remote_file')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'url', some));
  if (restated.length > 0) await rowsOf(restated).update({ changed_at: null }).whereNotNull('changed_at');
  for (const [download, some] of [
    ['if-changed', ifChanged],
    ['always', always],
  ] as const) {
    if (some.length === 0) continue;
    await rowsOf(some)
      .whereNotNull('content_hash')
      .where((other) => other.whereNull('download').orWhereNot('download', 'always'))
      .update({ download });
  }
  if (urls.length === 0) return;
  // Written only where it changes something.
  await rowsOf(urls)
    .where((late) => late.whereNull('due_at').orWhere('due_at', '>', now))
    .update({ due_at: now });
}

const filesAtATime = 5_000;

/**
 * After a full pass: what it did not deliver, and nobody has asked for since it began, is asked for, too. Some at a time, so that
 * nobody waits long at the row of the source.
 */
export async function askForAllFiles(
  database: Database,
  sourceId: number,
  since: string,
  now: string,
): Promise<void> {
  for (let after = 0; ; ) {
    const rows: { id: number | string }[] = await database
      .writer('remote_file')
      .where({ source_id: sourceId })
      .where('id', '>', after)
      .where((asked) => asked.whereNull('checked_at').orWhere('checked_at', '<', since))
      .where((late) => late.whereNull('due_at').orWhere('due_at', '>', now))
      .orderBy('id')
      .limit(filesAtATime)
      .select('id');
    const ids = rows.map(({ id }) => Number(id));
    const last = ids.at(-1);
    if (last === undefined) return;
    await database.transaction((trx) => askAgain(trx, sourceId, ids, now));
    after = last;
  }
}
