import { toIso } from '../../core/datetime.ts';
import type { Queryable } from '../engine/database.ts';
import { databaseNow } from '../engine/database-clock.ts';
import { isDead } from '../runs/leases.ts';

/** `command`: one of the command line that asks repositories or publishes. */
export type ProcessRole = 'all' | 'web' | 'work' | 'command';

/** A process at this database, as it says of itself. */
export interface LivingProcess {
  readonly holder: string;
  readonly role: ProcessRole;
  readonly version: string;
  /** The newest migration that it knows. */
  readonly knows: string;
  readonly host: string;
  readonly pid: number;
  /** ISO. */
  readonly startedAt: string;
  readonly seenAt: string;
  /** Octets that it has in memory (RSS). */
  readonly memory: number;
  /** Milliseconds: the longest time of late in which it could not answer. */
  readonly heldUp: number;
}

/** So long without a sign of life, and it is not counted as living any more. */
export const processLifeMs = 60_000;
const forgottenMs = 3_600_000;

interface ProcessRow {
  readonly holder: string;
  readonly role: ProcessRole;
  readonly version: string;
  readonly knows: string | null;
  readonly started_at: string;
  readonly seen: number | string;
  readonly memory: number | string;
  readonly held_up: number;
}

export type SignOfLife = Pick<
  LivingProcess,
  'holder' | 'role' | 'version' | 'knows' | 'startedAt' | 'memory' | 'heldUp'
>;

/** Also the first one, by which it is known. */
export async function giveSign(db: Queryable, { startedAt, heldUp, ...sign }: SignOfLife): Promise<void> {
  const row = { ...sign, started_at: startedAt, held_up: heldUp, seen: db.raw(databaseNow(db)) };
  await db('process').insert(row).onConflict('holder').merge();
}

/** Its last words, and those of others that gave no sign for an hour. */
export async function leave(db: Queryable, holder: string): Promise<void> {
  await forgetProcesses(db, [holder]);
  const old = db('process').whereRaw(`seen < ${databaseNow(db)} - ${forgottenMs}`);
  await forgetProcesses(db, await old.pluck('holder'));
}

async function forgetProcesses(db: Queryable, holders: readonly string[]): Promise<void> {
  if (holders.length === 0) return;
  await db('under_way').whereIn('holder', holders).delete();
  await db('process').whereIn('holder', holders).delete();
}

/** Those that gave a sign of late, and were not seen to be dead. */
export async function listProcesses(db: Queryable): Promise<readonly LivingProcess[]> {
  const rows: ProcessRow[] = await db('process')
    .whereRaw(`seen > ${databaseNow(db)} - ${processLifeMs}`)
    .orderBy(['role', 'started_at', 'holder']);
  return rows.filter(({ holder }) => !isDead(holder)).map(toProcess);
}

/** Whether one of them is of a version from before a migration. */
export async function isOlderAtWork(db: Queryable, migration: string): Promise<boolean> {
  return (await listProcesses(db)).some(({ knows }) => knows < migration);
}

function toProcess({ holder, role, version, ...row }: ProcessRow): LivingProcess {
  const { host, pid } = placeOf(holder);
  return {
    ...{ holder, role, version, host, pid },
    // Those of before 0094 do not say so.
    knows: row.knows ?? '',
    startedAt: row.started_at,
    seenAt: toIso(new Date(Number(row.seen))),
    memory: Number(row.memory),
    heldUp: row.held_up,
  };
}

/** `<host> <name space>/<pid>/<random>`. */
export function placeOf(holder: string): { readonly host: string; readonly pid: number } {
  const [place = '', pid] = holder.split('/');
  return { host: place.split(' ', 1)[0] ?? '', pid: Number(pid) };
}
