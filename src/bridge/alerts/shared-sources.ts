import { addSeconds, toIso } from '../../core/datetime.ts';
import type { SharedSource } from '../../server/deps.ts';
import { readSourceFacts, type SourceFacts } from '../../store/reading/source-facts.ts';
import { listUnreadable } from '../../store/runs/unreadable.ts';
import { countVanishedOf } from '../../store/runs/vanished.ts';
import { overviewsOf, readKnown } from '../state/overview.ts';
import type { StoredBridge } from '../stored-bridge.ts';

/** By name. @param problems so many are told of in words */
export type SharedSources = (name: string, problems: number) => Promise<SharedSource | undefined>;

const weekSeconds = 7 * 86_400;

/** How the sources are, as those who look after the repositories are told. @param now in milliseconds */
export async function readSharedSources(bridge: StoredBridge, now: number): Promise<SharedSources> {
  const { database } = bridge;
  const since = addSeconds(toIso(new Date(now)), -weekSeconds);
  const facts = await readSourceFacts(database.reader, since);
  const overviews = overviewsOf(bridge, { ...(await readKnown(bridge)), facts });
  const byName = new Map(overviews.map((overview) => [overview.name, overview]));
  const vanished = await countVanishedOf(
    database.reader,
    [...facts.values()].filter((one) => one.vanished).map(({ stored }) => stored.id),
  );
  return async (name, limit) => {
    const overview = byName.get(name);
    if (!overview) return undefined;
    const known = facts.get(name);
    const { title, word = 'ok', items, resources, lastSuccessAt, nextRunAt, recentChanges } = overview;
    return {
      ...{ name, title, word, items, resources, lastSuccessAt, nextRunAt, changes: recentChanges },
      reason: reasonOf(known),
      unreadable: known?.unreadable ?? 0,
      problems: known && known.unreadable > 0 ? await firstOf(bridge, known.stored.id, limit) : [],
      vanished: known?.vanished ? vanished(known.stored.id).items : 0,
      refusedSince: known?.fuseAt,
    };
  };
}

function reasonOf(facts: SourceFacts | undefined): string | undefined {
  if (facts?.stored.trouble) return facts.stored.trouble.message;
  return facts?.run?.state === 'failed' ? facts.run.error?.message : undefined;
}

async function firstOf(
  { database }: StoredBridge,
  sourceId: number,
  limit: number,
): Promise<SharedSource['problems']> {
  const some = await listUnreadable(database.reader, sourceId, { after: 0, limit });
  return some.map(({ identifier, message }) => ({ identifier, message }));
}
