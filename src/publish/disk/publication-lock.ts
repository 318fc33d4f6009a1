import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, readFile, rename, rm, stat } from 'node:fs/promises';
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
/** So long without a sign of life, and nobody asks who it was. */
const abandonedMilliseconds = 60_000;
/** Signs of life in this time. */
const signs = 12;
/** A process that restarts in a container has the process id of the one before it. */
const mine = new Set<string>();

/**
 * @param leaseMs so long without a sign of life, and it is taken for abandoned
 * @throws BridgeError `publication-busy`
 */
export async function lockPublication(
  directory: string,
  leaseMs = abandonedMilliseconds,
): Promise<PublicationLock> {
  const file = join(directory, lockFile);
  const holder: Holder = { id: randomUUID(), pid: process.pid, place: thisPlace };
  const text = JSON.stringify(holder);
  let handle: FileHandle;
  for (let attempt = 0; ; attempt += 1) {
    mine.add(holder.id);
    try {
      handle = await createWhole(file, text);
      break;
    } catch (error) {
      mine.delete(holder.id);
      // Absent: the holder has just cleaned up, and took ours for what a crash had left.
      if (!hasCode(error, 'EEXIST', 'ENOENT')) throw error;
      if (attempt >= 3) throw hasCode(error, 'ENOENT') ? error : busy(directory);
      if (!(await removeAbandoned(file, leaseMs))) throw busy(directory);
    }
  }
  // Into the file that is ours, whatever has its name by now; its time is that of the disk.
  const heartbeat = setInterval(() => {
    handle.write(text, 0).catch(() => undefined);
  }, leaseMs / signs);
  heartbeat.unref();
  return {
    confirm: async () => {
      if ((await readHolder(file))?.id !== holder.id) throw busy(directory);
    },
    release: async () => {
      clearInterval(heartbeat);
      mine.delete(holder.id);
      await handle.close();
      if ((await readHolder(file))?.id === holder.id) await rm(file, { force: true });
    },
  };
}

/**
 * Filled first and named afterwards: whoever dies in between leaves a stray file, not a lock without a holder.
 * @throws Error with code `EEXIST`
 */
async function createWhole(file: string, text: string): Promise<FileHandle> {
  const aside = asideOf(file);
  const handle = await createFilled(aside, text);
  try {
    await link(aside, file);
    return handle;
  } catch (error) {
    await handle.close();
    // A file system without hard links: nearly as good.
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
    return await createFilled(file, text);
  } finally {
    await rm(aside, { force: true });
  }
}

async function createFilled(file: string, text: string): Promise<FileHandle> {
  const handle = await open(file, 'wx');
  try {
    await handle.write(text, 0);
    return handle;
  } catch (error) {
    await handle.close();
    await rm(file, { force: true });
    throw error;
  }
}

function asideOf(file: string): string {
  return `${file}.${randomUUID().slice(0, 8)}.tmp`;
}

/** The time by the clock of the disk: several machines may see it, and their clocks may be minutes apart. */
async function timeAt(file: string): Promise<number> {
  const aside = asideOf(file);
  try {
    const handle = await createFilled(aside, 'what time is it?');
    try {
      return (await handle.stat()).mtimeMs;
    } finally {
      await handle.close();
    }
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
async function removeAbandoned(file: string, leaseMs: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  const holder = await readHolder(file);
  if (!found) return true;
  const age = (await timeAt(file)) - found.mtimeMs;
  if (!isAbandoned(holder, age, leaseMs)) return false;
  // Two processes may come to this at once: one of them would take away the other's new lock.
  const aside = asideOf(file);
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

function isAbandoned(holder: Holder | undefined, age: number, leaseMs: number): boolean {
  if (age > leaseMs) return true;
  // Unreadable: where there are no hard links, its writer is between creating and filling it, or died there.
  if (!holder) return age > leaseMs / signs;
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
