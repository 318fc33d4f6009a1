import type { Lease } from '../store/leases.ts';
import type { UnseenItem } from '../store/sweep.ts';
import { type Answer, type Asking, askFor, failuresInARow } from './asked-item.ts';
import type { HarvestDeps } from './harvest.ts';

/** What became of items that a complete list left out. */
export interface Confirmation {
  /** Ids of items about which there was an answer: what the run still has not met of them is gone. */
  readonly answered: readonly number[];
  /** How many went without even a tombstone. */
  readonly traceless: number;
  /** How many are there: the list leaves out what lives. */
  readonly alive: number;
  /** How many nobody can say anything about. */
  readonly failed: number;
  /** False when it was stopped, or gave up. */
  readonly complete: boolean;
}

/**
 * Asks for vanished items one by one: some servers withdraw records without a word in their lists (quirk 58),
 * others lose living ones from theirs (quirks 18, 52). One request at a time, through the same port as all others.
 */
export async function confirmVanished(
  deps: HarvestDeps,
  lease: Lease,
  asking: Asking,
  vanished: readonly UnseenItem[],
): Promise<Confirmation> {
  const answered: number[] = [];
  let [traceless, alive, failed, inARow] = [0, 0, 0, 0];
  for (const { id, identifier, formats } of vanished) {
    if (asking.stop.aborted || inARow === failuresInARow)
      return { answered, traceless, alive, failed, complete: false };
    const answer = await askFor(deps, lease, asking, identifier);
    if (answer === 'failed') {
      failed += 1;
      inARow += 1;
      continue;
    }
    inARow = 0;
    answered.push(id);
    if (answer === 'unknown') traceless += 1;
    if (isAlive(answer, formats)) alive += 1;
  }
  return { answered, traceless, alive, failed, complete: true };
}

/** Whether anything is there of what the list left out. */
function isAlive(answer: Answer, formats: readonly string[]): boolean {
  return (
    typeof answer === 'object' &&
    !answer.deleted &&
    answer.metadata.some(({ format }) => formats.includes(format))
  );
}
