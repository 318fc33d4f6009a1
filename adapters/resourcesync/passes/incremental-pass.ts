import type { Page } from '../../../src/core/adapter.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { readChanges } from '../reading/latest-changes.ts';
import { inBatches } from './batches.ts';
import type { FollowedSet } from './followed-set.ts';
import { isYetToCome } from './listed-resources.ts';

/**
 * What has changed since a moment of the Source's time.
 * @throws BridgeError `changes-incomplete` where something may be missing: then everything is to be compared
 */
export async function* incrementalPages(followed: FollowedSet, since: string): AsyncGenerator<Page> {
  const { set, port, remarks, now } = followed;
  if (await isYetToCome(followed, since))
    throw new BridgeError(
      'changes-incomplete',
      `${set.uri}: what is known goes up to ${since}, which is yet to come`,
    );
  const { changes, cursor, gap } = await readChanges(set.lists.changelist, since, {
    port,
    remarks,
    now: now(),
  });
  if (gap !== undefined) throw new BridgeError('changes-incomplete', `${set.uri}: ${gap}`);
  const page = { checkpoint: { kind: 'changes' }, asOf: cursor };
  // The moment is known, whether anything has changed or not.
  yield { ...page, items: [], problems: [] };
  const assembly = followed.assembly('changes');
  const unknown: string[] = [];
  const inOrder = [...changes.values()].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const lost = [];
  const isGone = (url: string) => changes.get(url)?.statement.change === 'deleted';
  for await (const batch of inBatches(inOrder.map(({ statement }) => statement))) {
    const made = await assembly.assemble(batch, false, isGone);
    lost.push(...made.lost);
    unknown.push(...made.unknownDeletions);
    if (made.items.length > 0 || made.problems.length > 0)
      yield { ...page, items: made.items, problems: made.problems };
  }
  for await (const batch of inBatches(lost)) {
    const made = await assembly.assemble(batch, true);
    yield { ...page, items: made.items, problems: made.problems };
  }
  const missed = unknown.find((loc) => {
    const change = changes.get(loc);
    return change !== undefined && change.at > since && !change.isOfThisTime;
  });
  if (missed !== undefined)
    throw new BridgeError(
      'changes-incomplete',
      `${set.uri} deletes ${missed}, which may be part of an item here`,
    );
}
