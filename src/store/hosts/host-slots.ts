import type { Database } from '../engine/database.ts';
import { databaseNow, rowsOf } from '../engine/database-clock.ts';
import { isGone } from './askers.ts';

/** The right to have one request at a time under way at a host, over all processes at this database. */
export interface HostSlot {
  readonly host: string;
  readonly n: number;
}

/**
 * @param places so many may be taken, by whomever
 * @returns undefined: all of them are
 */
export async function takeSlot(
  { reader, writer }: Database,
  { host, places, holder, lifetimeMs }: { host: string; places: number; holder: string; lifetimeMs: number },
): Promise<HostSlot | undefined> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const rows: { n: number; holder: string }[] = await reader('host_slot')
      .select('n', 'holder')
      .where({ host })
      .whereRaw(`expires > ${databaseNow(reader)}`);
    const gone = new Map(rows.filter((row) => isGone(row.holder)).map((row) => [row.n, row.holder]));
    const taken = new Set(rows.map(({ n }) => n).filter((n) => !gone.has(n)));
    let n = 1;
    while (taken.has(n)) n += 1;
    if (taken.size >= places || n > places) return undefined;
    // Nobody waits for a lock: whoever else was faster has it, and the next one is tried.
    const now = databaseNow(writer);
    const result = await writer.raw(
      `insert into host_slot (host, n, holder, expires) values (?, ?, ?, ${now} + ?)
        on conflict (host, n) do update set holder = excluded.holder, expires = excluded.expires
        where host_slot.expires <= ${now} or host_slot.holder = ? returning n`,
      [host, n, holder, lifetimeMs, gone.get(n) ?? ''],
    );
    if (rowsOf(result).length > 0) return { host, n };
  }
  return undefined;
}

/** @returns those that are still held */
export async function renewSlots(
  { writer }: Database,
  holder: string,
  lifetimeMs: number,
): Promise<readonly HostSlot[]> {
  const result = await writer.raw(
    `update host_slot set expires = ${databaseNow(writer)} + ? where holder = ? returning host, n`,
    [lifetimeMs, holder],
  );
  return rowsOf<HostSlot>(result);
}

export async function giveBackSlot(
  { writer }: Database,
  holder: string,
  { host, n }: HostSlot,
): Promise<void> {
  await writer('host_slot').where({ host, n, holder }).delete();
}
