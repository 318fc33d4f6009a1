import type { Config } from '../../core/config/config.ts';
import { failure } from '../../core/errors.ts';
import { readEdition } from '../../store/sources/edition.ts';
import type { Bridge } from '../bridge.ts';
import { type ConfigChanges, describeChanges } from '../config/live-config.ts';
import { startWatch, type Watch } from './watch.ts';

/** Has the service work by the configuration as it is now, whenever somebody asks for that. */
export interface Reloading extends Watch {
  /** Now: somebody has sent SIGHUP. */
  reload(): void;
}

const pauseMs = 4000;

/**
 * @param read the configuration as it is now
 * @param apply has the service work by it
 */
export function watchConfig(
  bridge: Pick<Bridge, 'clock' | 'log' | 'database'>,
  read: () => Config,
  apply: (config: Config) => ConfigChanges,
  stop: AbortSignal,
): Reloading {
  const { database, log } = bridge;
  let edition: number | undefined;

  /** One that is wrong changes nothing: the one before stays in force. */
  function reload(): void {
    try {
      const changes = apply(read());
      log.info({ ...changes }, `configuration read again: ${describeChanges(changes)}`);
    } catch (error) {
      log.error({ ...failure(error) }, 'the configuration is as before: the file cannot be used as it is');
    }
  }

  const watch = startWatch(bridge, stop, 'cannot see whether the configuration has changed', async () => {
    const now = await readEdition(database.reader);
    if (edition !== undefined && now !== edition) reload();
    edition = now;
    return pauseMs;
  });
  return { reload, stop: watch.stop };
}
