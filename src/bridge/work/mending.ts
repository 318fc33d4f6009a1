import { toIso } from '../../core/datetime.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { failure } from '../../core/errors.ts';
import { callForMending, hasNewDamage } from '../../store/payloads/damaged-contents.ts';
import type { Bridge } from '../bridge.ts';

export interface DamageWatch {
  stop(): Promise<void>;
}

const pauseMs = 2000;
/** A disk that damages what it is given would have the same file downloaded again and again. */
const restMs = 10_000;

/**
 * Sees to it that mirrored files that were found damaged are downloaded again, whoever found out: this process, another,
 * or a command beside it. Looking costs one directory.
 * @param followFiles begins work on the due files of a source
 */
export function watchDamage(
  bridge: Bridge,
  followFiles: (source: string) => unknown,
  stop: AbortSignal,
): DamageWatch {
  const { database, clock, log, config } = bridge;
  const stopped = new AbortController();
  const signal = eitherOf(stop, stopped.signal);

  /** @returns whether somebody is at work on it now */
  async function mend(): Promise<boolean> {
    if (!(await hasNewDamage(config.directory))) return false;
    const names = await callForMending(database, config.directory, toIso(clock.now()));
    const mirrors = [...names].filter((name) => modeOf(name) === 'mirror');
    for (const source of mirrors) {
      log.warn({ source, code: 'content-damaged' }, 'damaged mirrored files are downloaded again');
      void followFiles(source);
    }
    return mirrors.length > 0;
  }

  const modeOf = (name: string) =>
    Object.hasOwn(config.sources, name) ? config.sources[name]?.files.mode : undefined;

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      const begun = await mend().catch((error: unknown) => {
        if (!signal.aborted) log.error({ ...failure(error) }, 'damaged files wait');
        return false;
      });
      await clock.sleep(begun ? restMs : pauseMs, signal).catch(() => undefined);
    }
  }

  const watching = watch();
  return {
    stop: async () => {
      stopped.abort();
      await watching;
    },
  };
}
