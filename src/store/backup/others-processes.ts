import type { SqliteDatabase } from '../drivers/sqlite-driver.ts';

/** What processes say of themselves and take from one another. */
const tables = ['under_way', 'process', 'asker', 'host_slot'] as const;

/** Who works on a row, and until when; by the names that they had in any version. */
export const claims = [
  { table: 'source', holder: 'lease_holder', expires: 'lease_expires' },
  { table: 'source', holder: 'files_holder', expires: 'files_expires' },
  { table: 'source', holder: 'harvest_holder', expires: 'harvest_expires' },
  { table: 'source', holder: 'file_work_holder', expires: 'file_work_expires' },
  { table: 'due', holder: 'holder', expires: 'expires' },
  { table: 'alert_message', holder: 'holder', expires: 'expires' },
  { table: 'push_subscription', holder: 'holder', expires: 'expires' },
  { table: 'push_intent', holder: 'holder', expires: 'expires' },
] as const;

/**
 * A copy has the processes in it that were at work when it was made: nobody waits for these, or says that they live. That a
 * host wants to be left alone stays true.
 */
export function forgetProcesses(copy: SqliteDatabase): void {
  const columnsOf = (table: string) =>
    new Set(
      copy
        .prepare('select name from pragma_table_info(?)')
        .all(table)
        .map(({ name }) => name),
    );
  for (const table of tables) if (columnsOf(table).size > 0) copy.exec(`delete from ${table}`);
  for (const { table, holder, expires } of claims) {
    if (!columnsOf(table).has(holder)) continue;
    copy.exec(`update ${table} set ${holder} = null, ${expires} = null where ${holder} is not null`);
  }
  if (columnsOf('host').has('wanted_by')) copy.exec('update host set wanted_until = 0, wanted_by = null');
}
