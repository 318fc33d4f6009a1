import { toIso } from '../../core/datetime.ts';
import { failure } from '../../core/errors.ts';
import { settleNow } from '../../harvest/files/note-refusal.ts';
import { askProbes } from '../../harvest/files/probes.ts';
import { hasUnasked } from '../../store/files/due-files.ts';
import { listCalledFor } from '../../store/files/refusals.ts';
import { sourceIdOf } from '../../store/rows/one-source.ts';
import type { Bridge } from '../bridge.ts';
import { startWatch, type Watch } from './watch.ts';

/**
 * Sees to it that files whose servers say no are deleted, or asked for again, whoever found out: this process, another,
 * or a command beside it. Looking costs one small query, however many sources there are.
 * @param followFiles begins work on the due files of a source
 */
export function watchRefusals(
  bridge: Bridge,
  followFiles: (source: string) => unknown,
  stop: AbortSignal,
): Watch {
  const { database, clock, log, config } = bridge;
  const busy = new Map<string, Promise<void>>();

  async function tend(name: string, signal: AbortSignal): Promise<void> {
    const source = bridge.source(name);
    try {
      await settleNow(bridge, name, source.config);
      const sourceId = await sourceIdOf(database.reader, name);
      const isCalled =
        sourceId !== undefined && (await hasUnasked(database.writer, sourceId, toIso(clock.now())));
      // What came back may bring others with it; so may an item that was restored.
      if ((await askProbes(bridge, source, signal)) || isCalled) void followFiles(name);
      await settleNow(bridge, name, source.config);
    } catch (error) {
      if (!signal.aborted) log.error({ source: name, ...failure(error) }, 'refused files not deleted yet');
    }
  }

  const watch = startWatch(bridge, stop, 'refused files cannot be checked', async (signal) => {
    for (const name of await listCalledFor(database.reader, toIso(clock.now()))) {
      if (busy.has(name) || !Object.hasOwn(config.sources, name)) continue;
      busy.set(
        name,
        tend(name, signal).finally(() => busy.delete(name)),
      );
    }
    return undefined;
  });
  return {
    stop: async () => {
      await watch.stop();
      await Promise.all(busy.values());
    },
  };
}
