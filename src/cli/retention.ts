import { removeGivenUp } from '../harvest/retention.ts';
import { followedUpTo } from '../publish/followed-journal.ts';
import type { Bridge } from './bridge.ts';

/** Once a day there is something to do, however often this is asked for. */
export async function removeBytes(bridge: Bridge, signal: AbortSignal): Promise<void> {
  const { config, database, setsOf } = bridge;
  const { directory } = config;
  await removeGivenUp(bridge, Object.keys(config.sources), {
    directory,
    followedUpTo: (source) => followedUpTo(database, directory, setsOf(source)),
    signal,
  });
}
