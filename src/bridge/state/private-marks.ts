import { listMarkedPrivate } from '../../store/sources/private-sources.ts';
import type { Bridge } from '../bridge.ts';
import { startWatch } from '../work/watch.ts';

/** Sources that are private by what the database says. */
export interface PrivateMarks {
  /** The same set as long as it says the same. */
  names(): ReadonlySet<string>;
  stop(): Promise<void>;
}

const pauseMs = 1000;

/**
 * A source is private for all as soon as any process, or any command, has read a configuration by which it is: one that has not read it
 * yet, or has another one, goes by that within a second.
 */
export function watchPrivateMarks(
  bridge: Pick<Bridge, 'clock' | 'log' | 'database' | 'config'>,
): PrivateMarks {
  const { database, log, config } = bridge;
  let marked: ReadonlySet<string> = new Set();
  const never = new AbortController().signal;
  const watch = startWatch(bridge, never, 'cannot see what has become private', async () => {
    // Whether the database answers, others tell; what it said last counts until it does.
    const now = new Set(await listMarkedPrivate(database.reader).catch(() => marked));
    if (now.size === marked.size && [...now].every((name) => marked.has(name))) return pauseMs;
    const news = [...now].filter((name) => !marked.has(name) && config.sources[name]?.access === undefined);
    const sources = news.filter((name) => Object.hasOwn(config.sources, name));
    if (sources.length > 0)
      log.warn({ sources }, 'private by a configuration that this process has not read');
    marked = now;
    return pauseMs;
  });
  return { names: () => marked, stop: watch.stop };
}
