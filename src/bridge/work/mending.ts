import { toIso } from '../../core/datetime.ts';
import { callForMending, hasNewDamage } from '../../store/payloads/damaged-contents.ts';
import type { Bridge } from '../bridge.ts';
import { startWatch, type Watch } from './watch.ts';

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
): Watch {
  const { database, clock, log, config } = bridge;
  const modeOf = (name: string) =>
    Object.hasOwn(config.sources, name) ? config.sources[name]?.files.mode : undefined;

  async function mend(): Promise<number | undefined> {
    if (!(await hasNewDamage(config.directory))) return undefined;
    const names = await callForMending(database, config.directory, toIso(clock.now()));
    const mirrors = [...names].filter((name) => modeOf(name) === 'mirror');
    for (const source of mirrors) {
      log.warn({ source, code: 'content-damaged' }, 'damaged mirrored files are downloaded again');
      void followFiles(source);
    }
    return mirrors.length > 0 ? restMs : undefined;
  }

  return startWatch(bridge, stop, 'damaged files wait', mend);
}
