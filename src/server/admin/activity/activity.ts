import { primaryOf } from '../../../store/admin/primary.ts';
import { listRestingHosts, type RestingHost } from '../../../store/hosts/host-news.ts';
import { type LivingProcess, listProcesses } from '../../../store/presence/processes.ts';
import { listUnderWay, type UnderWay } from '../../../store/presence/under-way.ts';
import { readProgress } from '../../../store/search/following.ts';
import type { ServerDeps } from '../../deps.ts';
import type { QueueMeasures } from '../../measures.ts';

/** What all processes at this database are at, what waits, and what keeps them. */
export interface Activity {
  readonly works: readonly UnderWay[];
  readonly processes: readonly LivingProcess[];
  readonly queue: readonly QueueMeasures[];
  readonly resting: readonly RestingHost[];
  /** Changes that are to be found by words, and how many are; undefined: nothing is searched. */
  readonly search: { readonly done: number; readonly total: number } | undefined;
}

export async function readActivity(deps: ServerDeps): Promise<Activity> {
  const db = primaryOf(deps.database);
  const { search } = deps;
  const [works, processes, measures, resting, described] = await Promise.all([
    listUnderWay(db),
    listProcesses(db),
    deps.measures?.(),
    listRestingHosts(db),
    search && readProgress(db, (source) => search.has(source)),
  ]);
  return { works, processes, queue: measures?.queue ?? [], resting, search: described };
}
