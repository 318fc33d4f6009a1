import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../core/config/config.ts';
import { describeError } from '../../core/errors.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';

export interface DiskSpeed {
  /** Until four kilobytes are on the disk, in milliseconds: the median of some attempts. Each page that is stored waits for that. */
  readonly syncMs: number;
  /** Of writing in a row, until it is on the disk. */
  readonly bytesPerSecond: number;
}

const syncs = 15;
const chunk = 1024 * 1024;
const chunks = 16;

/** Writes 16 MB below the directory and removes them again. */
export async function measureDisk(directory: string, signal: AbortSignal): Promise<DiskSpeed> {
  const file = join(directory, `.doctor-${randomBytes(6).toString('hex')}`);
  await mkdir(directory, { recursive: true });
  const handle = await open(file, 'wx', 0o600);
  try {
    const bytes = randomBytes(chunk);
    const times: number[] = [];
    for (let attempt = 0; attempt < syncs && !signal.aborted; attempt += 1) {
      const began = performance.now();
      await handle.write(bytes, 0, 4096);
      await handle.datasync();
      times.push(performance.now() - began);
    }
    const began = performance.now();
    for (let part = 0; part < chunks && !signal.aborted; part += 1) await handle.write(bytes);
    await handle.datasync();
    const bytesPerSecond = (chunk * chunks * 1000) / Math.max(0.001, performance.now() - began);
    const syncMs = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
    return { syncMs, bytesPerSecond };
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
}

const slowSyncMs = 50;
const slowBytes = 10e6;

/** @param setting that names the place */
export function judgeDiskSpeed(place: string, setting: string, speed: DiskSpeed): readonly Diagnosis[] {
  const { syncMs, bytesPerSecond } = speed;
  const told = `${syncMs.toFixed(1)} ms until a write is safe, ${Math.round(bytesPerSecond / 1e6)} MB/s, in ${place}`;
  const mend = `findmnt -T ${place}; put ${setting} on a local disk that is faster`;
  return diagnose(
    `disk speed of ${setting}`,
    [
      (syncMs > slowSyncMs || bytesPerSecond < slowBytes) && {
        severity: 'warning',
        message: `${told}: each page that is stored waits for that (below ${slowSyncMs} ms and above ${slowBytes / 1e6} MB/s it is no hindrance)`,
        mend,
      },
    ],
    told,
  );
}

/** Where documents are kept, and where SQLite keeps the database if that is elsewhere. */
export async function* checkDiskSpeed(
  { database, directory }: Pick<Config, 'database' | 'directory'>,
  signal: AbortSignal,
): AsyncGenerator<Diagnosis> {
  const places = new Map([[directory, 'directory']]);
  if (database.client === 'sqlite' && dirname(database.file) !== directory)
    places.set(dirname(database.file), 'database.file');
  for (const [place, setting] of places) {
    try {
      yield* judgeDiskSpeed(place, setting, await measureDisk(place, signal));
    } catch (error) {
      yield {
        check: `disk speed of ${setting}`,
        severity: 'error',
        message: `nothing can be written in ${place}: ${describeError(error)}`,
        mend: `df -h ${place}; ls -ld ${place}`,
      };
    }
  }
}
