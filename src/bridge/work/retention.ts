import { jointSetsWith } from '../../core/config/joint-sets.ts';
import { addSeconds, toIso } from '../../core/datetime.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { removeGivenUp } from '../../harvest/run/retention.ts';
import { followedUpTo } from '../../publish/published/followed-journal.ts';
import { pruneAnswers } from '../../store/admin/kept-answers.ts';
import { findUnkept } from '../../store/reading/listing.ts';
import { pruneRuns } from '../../store/runs/run-history.ts';
import type { Bridge } from '../bridge.ts';

/** Once a day there is something to do, however often this is asked for. */
export async function removeBytes(bridge: Bridge, signal: AbortSignal): Promise<void> {
  const { config, database, setsOf, jointSets } = bridge;
  const { directory, runs } = config;
  const now = toIso(bridge.clock.now());
  const limits = {
    before: addSeconds(now, -runs.days * 86_400),
    idleBefore: addSeconds(now, -runs.idleDays * 86_400),
  };
  const pruned = await pruneRuns(database, limits, signal);
  if (pruned > 0) bridge.log.debug({ runs: pruned }, 'old runs are removed');
  await pruneAnswers(database, now);
  const packed: ResourceSet[] = [];
  for (const set of jointSets())
    if (set.dumps && (await findUnkept(database.reader, set)) === undefined) packed.push(set);
  const setsWith = (source: string) => [...setsOf(source), ...jointSetsWith(packed, source, () => true)];
  await removeGivenUp(bridge, Object.keys(config.sources), {
    directory,
    followedUpTo: (source) => followedUpTo(database, directory, setsWith(source), source),
    signal,
  });
}
