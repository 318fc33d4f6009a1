import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../engine/database.ts';
import { databaseNow } from '../engine/database-clock.ts';
import { isAlive, thisPlace } from '../engine/process-place.ts';

/** A process that asks repositories for something, until it leaves or gives no sign of life for too long. */
export interface Asker {
  readonly holder: string;
  /** It asks by slots; false: as if it were alone. */
  readonly shares: boolean;
}

/** Of this very process; the pid alone would call a restarted container alive. */
const own = new Set<string>();

/** `<place>/<pid>/<random>`, as leases have it. */
export async function enterAsker({ writer }: Database, lifetimeMs: number): Promise<string> {
  const holder = `${thisPlace}/${process.pid}/${randomUUID()}`;
  const now = databaseNow(writer);
  await writer('asker').whereRaw(`expires < ${now} - 3600000`).delete();
  await writer('host_slot').whereRaw(`expires < ${now} - 3600000`).delete();
  await writer('host').whereRaw(`rest_until < ${now} and wanted_until < ${now}`).delete();
  own.add(holder);
  await writer('asker').insert({ holder, shares: 0, expires: writer.raw(`${now} + ?`, [lifetimeMs]) });
  return holder;
}

/** @returns false where others take it for gone: it has to enter again */
export async function renewAsker(
  { writer }: Database,
  holder: string,
  { shares, lifetimeMs }: { readonly shares: boolean; readonly lifetimeMs: number },
): Promise<boolean> {
  const now = databaseNow(writer);
  const changed = await writer('asker')
    .where({ holder })
    .whereRaw(`expires > ${now}`)
    .update({ shares: shares ? 1 : 0, expires: writer.raw(`${now} + ?`, [lifetimeMs]) });
  return Number(changed) === 1;
}

/** Those who live, but this one. */
export async function listOtherAskers({ reader }: Database, holder: string): Promise<readonly Asker[]> {
  const rows: { holder: string; shares: number }[] = await reader('asker')
    .select('holder', 'shares')
    .whereNot({ holder })
    .whereRaw(`expires > ${databaseNow(reader)}`);
  return rows
    .filter((row) => !isGone(row.holder))
    .map((row) => ({ holder: row.holder, shares: Number(row.shares) === 1 }));
}

/** Who has asked of late, and not by slots: who comes waits until they do. */
export async function listUnsharing(
  db: Queryable,
): Promise<readonly { readonly holder: string; readonly expires: number }[]> {
  const rows: { holder: string; expires: number }[] = await db('asker')
    .select('holder', 'expires')
    .where({ shares: 0 })
    .whereRaw(`expires > ${databaseNow(db)}`);
  return rows.filter(({ holder }) => !own.has(holder) && !isGone(holder));
}

export async function leaveAsker({ writer }: Database, holder: string): Promise<void> {
  own.delete(holder);
  await writer('host_slot').where({ holder }).delete();
  await writer('asker').where({ holder }).delete();
}

/** A neighbour on this machine that was killed gives no sign any more; others have to be waited for. */
export function isGone(holder: string): boolean {
  const [place, pid] = holder.split('/');
  if (place !== thisPlace || own.has(holder)) return false;
  return Number(pid) === process.pid || !isAlive(Number(pid));
}
