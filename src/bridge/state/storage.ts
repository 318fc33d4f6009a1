import { setTimeout as pause } from 'node:timers/promises';
import { toIso } from '../../core/datetime.ts';
import { failure } from '../../core/errors.ts';
import type { FilesMeasures, StorageMeasures } from '../../server/measures.ts';
import { readFreeBytes, readTableSizes } from '../../store/reading/database-size.ts';
import type { Bridge } from '../bridge.ts';
import { measureFiles } from './file-sizes.ts';
import { keptFresh, type Survey } from './survey.ts';

type Measured = Pick<Bridge, 'config' | 'database' | 'clock' | 'log'>;

/** What is kept and where, for pages that may be asked for at any time. */
export interface StorageLook {
  storage(): Promise<StorageMeasures>;
  close(): void;
}

/** Counting files takes a while where there are many. */
const filesFreshMs = 6 * 3_600_000;
/** Somebody who looks waits for a small installation, and is not kept waiting for a large one. */
const patienceMs = 300;

export function createStorageLook(
  bridge: Measured,
  survey: Pick<Survey, 'measures' | 'sources'>,
): StorageLook {
  const { clock, database, log } = bridge;
  const closing = new AbortController();
  const ofDatabase = keptFresh(clock, 60_000, async () => ({
    tables: await readTableSizes(database),
    freeBytes: await readFreeBytes(database),
  }));
  let files: FilesMeasures | undefined;
  let begunAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;
  const countFiles = () => {
    const now = clock.now().getTime();
    if (counting || now - begunAt < filesFreshMs) return;
    begunAt = now;
    counting = measureFiles(bridge, closing.signal)
      .then((found) => {
        files = found;
      })
      // A disk that fails is told of elsewhere; whoever looks the next time has it tried again.
      .catch((error: unknown) => {
        begunAt = Number.NEGATIVE_INFINITY;
        log.debug(failure(error), 'files were not counted');
      })
      .finally(() => {
        counting = undefined;
      });
  };
  return {
    storage: async () => {
      countFiles();
      const wait = pause(patienceMs, undefined, { ref: false });
      if (counting && !files) await Promise.race([counting, wait]);
      return readStorage(bridge, survey, await ofDatabase(), files);
    },
    close: () => closing.abort(),
  };
}

/** @param files as they were counted, which is not done here */
export async function readStorage(
  { config, clock }: Pick<Measured, 'config' | 'clock'>,
  survey: Pick<Survey, 'measures' | 'sources'>,
  known: Pick<StorageMeasures, 'tables'> & Pick<StorageMeasures['database'], 'freeBytes'>,
  files: FilesMeasures | undefined,
): Promise<StorageMeasures> {
  const at = toIso(clock.now());
  const { databaseBytes, walBytes, disks, alerts, queue } = await survey.measures();
  const sources = await survey.sources();
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const { storage, database } = config;
  return {
    at,
    database: { client: database.client, bytes: databaseBytes, walBytes, freeBytes: known.freeBytes },
    tables: known.tables,
    items: sum(sources.map(({ items }) => items)),
    resources: sum(sources.map(({ resources }) => resources)),
    files,
    inBucket: (['files', 'payloads', 'documents', 'dumps'] as const).filter((what) => storage[what] === 's3'),
    disks,
    backupAt: alerts.backupAt === undefined ? undefined : toIso(new Date(alerts.backupAt)),
    waiting: sum(queue.map(({ waiting }) => waiting)),
  };
}
