import { setTimeout } from 'node:timers/promises';
import { failure } from '../../core/errors.ts';
import { isOlderAtWork } from '../../store/presence/processes.ts';
import { fillNext } from '../../store/schema/backfill.ts';
import { migrations } from '../../store/schema/migrate.ts';
import type { Bridge } from '../bridge.ts';

const shortestPauseMs = 50;
const pauseAfterFailureMs = 30_000;
const pauseForOlderMs = 1_000;

/**
 * Fills in what migrations left to be filled in while everybody works: some rows, then a pause that is as long. Never
 * fails: what went wrong is tried again later.
 */
export async function fillBehind(
  { database, log }: Pick<Bridge, 'database' | 'log'>,
  stop: AbortSignal,
  list = migrations,
): Promise<void> {
  const pause = (ms: number) =>
    setTimeout(ms, undefined, { signal: stop, ref: false }).catch(() => undefined);
  for (const migration of list.filter(({ fill, indexes }) => fill ?? indexes)) {
    for (let isLeft = true; isLeft && !stop.aborted; ) {
      const started = performance.now();
      try {
        if (migration.fillsAlone && (await isOlderAtWork(database.writer, migration.name))) {
          await pause(pauseForOlderMs);
          continue;
        }
        isLeft = await fillNext(database, migration, stop);
        if (isLeft) await pause(Math.max(shortestPauseMs, performance.now() - started));
      } catch (error) {
        if (stop.aborted) return;
        log.warn(
          { migration: migration.name, ...failure(error) },
          'rows could not be filled in; tried again',
        );
        await pause(pauseAfterFailureMs);
      }
    }
  }
}
