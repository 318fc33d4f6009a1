import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BridgeError } from '../../core/errors.ts';
import { isAlive, thisPlace } from '../../store/engine/process-place.ts';

/** One publisher at a time per directory, across processes. */
export interface PublicationLock {
  /** @throws BridgeError `publication-busy` when another process took it for abandoned */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

interface Holder {
  readonly id: string;
  readonly pid: number;
  /** Where that process id means something. */
  readonly place: string;
}

const lockFile = 'lock';
const heartbeatMilliseconds = 5_000;
/** So long without a sign of life, and nobody asks who it was. */
const abandonedMilliseconds = 60_000;
/** A process that restarts in a container has the process id of the one before it. */
const mine = new Set<string>();

/** @throws BridgeError `publication-busy` */
export async function lockPublication(directory: string): Promise<PublicationLock> {
  const file = join(directory, lockFile);
  const holder: Holder = { id: randomUUID(), pid: process.pid, place: thisPlace };
  for (let attempt = 0; ; attempt += 1) {
    mine.add(holder.id);
    try {
      await createWhole(file, JSON.stringify(holder));
      break;
    } catch (error) {
      mine.delete(holder.id);
      // Absent: the holder has just cleaned up, and took ours for what a crash had left.
      if (!hasCode(error, 'EEXIST', 'ENOENT')) throw error;
      if (attempt >= 3) throw hasCode(error, 'ENOENT') ? error : busy(directory);
      if (!(await removeAbandoned(file))) throw busy(directory);
    }
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, heartbeatMilliseconds);
  heartbeat.unref();
  return {
    confirm: async () => {
      if ((await readHolder(file))?.id !== holder.id) throw busy(directory);
    },
    release: async () => {
      clearInterval(heartbeat);
      mine.delete(holder.id);
      if ((await readHolder(file))?.id === holder.id) await rm(file, { force: true });
    },
  };
}

/**
 * Filled first and named afterwards: whoever dies in between leaves a stray file, not a lock without a holder.
 * @throws Error with code `EEXIST`
 */
async function createWhole(file: string, text: string): Promise<void> {
  const aside = `${file}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    await writeFile(aside, text, { flag: 'wx' });
    await link(aside, file).catch(async (error: unknown) => {
      // A file system without hard links: nearly as good.
      if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
      await writeFile(file, text, { flag: 'wx' });
    });
  } finally {
    await rm(aside, { force: true });
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String((error as { code?: unknown }).code));
}

function busy(directory: string): BridgeError {
  return new BridgeError('publication-busy', `another process is publishing into ${directory}`, {
    retryable: true,
  });
}

/** @returns whether the lock may be tried again */
async function removeAbandoned(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  const holder = await readHolder(file);
  if (!found) return true;
  const age = Date.now() - found.mtimeMs;
  if (!isAbandoned(holder, age)) return false;
  // Two processes may come to this at once: one of them would take away the other's new lock.
  const aside = `${file}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    await rename(file, aside);
    if ((await readHolder(aside))?.id !== holder?.id) {
      await rename(aside, file);
      return false;
    }
    await rm(aside, { force: true });
  } catch {
    // Somebody else was quicker.
  }
  return true;
}

function isAbandoned(holder: Holder | undefined, age: number): boolean {
  if (age > abandonedMilliseconds) return true;
  // Unreadable: where there are no hard links, its writer is between creating and filling it, or died there.
  if (!holder) return age > heartbeatMilliseconds;
  if (holder.place !== thisPlace) return false;
  return holder.pid === process.pid ? !mine.has(holder.id) : !isAlive(holder.pid);
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}
