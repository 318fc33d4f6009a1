import type { Config } from '../../core/config/config.ts';
import { failure } from '../../core/errors.ts';
import { readEdition } from '../../store/sources/edition.ts';
import type { Bridge } from '../bridge.ts';
import { describeChanges } from '../config/live-config.ts';
import type { SourceChanges } from '../stored-bridge.ts';
import { startWatch, type Watch } from './watch.ts';

/** Has the service work by the configuration as it is now, whenever somebody asks for that. */
export interface Reloading extends Watch {
  /** Now: somebody has sent SIGHUP. */
  reload(): Promise<void>;
}

/** What is logged of each. */
export const unusedSource = 'a source of the database is not used';
const pauseMs = 4000;
const pauseOfMarksMs = 1000;

/**
 * @param read the configuration as it is now
 * @param apply has the service work by it
 */
export function watchConfig(
  bridge: Pick<Bridge, 'clock' | 'log' | 'database' | 'onReload' | 'latest' | 'hasOtherMarks'>,
  read: () => Promise<Config>,
  apply: (config: Config) => Promise<SourceChanges>,
  stop: AbortSignal,
): Reloading {
  const { database, log } = bridge;
  let edition: number | undefined;

  /** One that is wrong changes nothing: the one before stays in force. */
  async function reload(): Promise<void> {
    try {
      const changes = await apply(await read());
      log.info({ ...changes }, `configuration read again: ${describeChanges(changes)}`);
      for (const problem of changes.problems) log.warn({ problem }, unusedSource);
    } catch (error) {
      log.error({ ...failure(error) }, 'the configuration is as before: the file cannot be used as it is');
    }
  }

  bridge.onReload(reload);
  const watch = startWatch(bridge, stop, 'cannot see whether the configuration has changed', async () => {
    const now = await readEdition(database.reader);
    if (edition !== undefined && now !== edition) await reload();
    edition = now;
    return pauseMs;
  });
  // A source is private for all as soon as one has read that it is: who has not, or reads another file, goes by it, too.
  const marks = startWatch(bridge, stop, 'cannot see what has become private', async () => {
    if (await bridge.hasOtherMarks()) {
      const { changed } = await apply(bridge.latest());
      const sources = changed.map(({ name }) => name);
      log.warn({ sources }, 'private, or no more, by a configuration that this process has not read');
    }
    return pauseOfMarksMs;
  });
  return { reload, stop: async () => void (await Promise.all([watch.stop(), marks.stop()])) };
}
