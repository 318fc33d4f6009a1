import type { SourceItem } from '../../core/adapter.ts';
import type { UnseenItem } from '../../store/pages/sweep.ts';
import type { Lease } from '../../store/runs/leases.ts';
import type { HarvestDeps } from '../harvest-source.ts';
import {
  type Answer,
  type Asking,
  concernsItem,
  failuresInARow,
  fetchItem,
  storeAnswers,
  takeAnswer,
} from '../items/asked-item.ts';

/** What became of items that a complete list left out. */
export interface Confirmation {
  /** Ids of items about which there was an answer: what the run still has not met of them is gone. */
  readonly answered: readonly number[];
  /** Identifiers of those that are there, though nobody can say why no list has them, and that wait for the next. */
  readonly unlisted: readonly string[];
  /** How many went without even a tombstone. */
  readonly traceless: number;
  /** How many are gone by their own word: withdrawn, or not for everybody any more. */
  readonly hidden: number;
  /** How many are there: the list leaves out what lives. */
  readonly alive: number;
  /** How many nobody can say anything about. */
  readonly failed: number;
  /** False when it was stopped, or gave up. */
  readonly complete: boolean;
}

export interface ConfirmationOptions {
  /** The last complete list before this one, by its run: what was missing from that one as well does not wait. */
  readonly previousRun?: number | undefined;
  /** Requests that may be on their way; default 1. */
  readonly sideBySide?: number | undefined;
  /** A sample goes on with others in the next run; otherwise what gives no answer is missing still. */
  readonly isSample?: boolean | undefined;
}

/**
 * Asks for vanished items one by one: some servers withdraw records without a word in their lists (quirk 58),
 * others lose living ones from theirs (quirks 18, 52). Through the same port as all other requests.
 */
export async function confirmVanished(
  deps: HarvestDeps,
  lease: Lease,
  asking: Asking,
  vanished: readonly UnseenItem[],
  { previousRun, sideBySide = 1, isSample = false }: ConfirmationOptions = {},
): Promise<Confirmation> {
  const answered: number[] = [];
  const unlisted: string[] = [];
  let [traceless, hidden, alive, failed, inARow] = [0, 0, 0, 0, 0];
  const soFar = (complete: boolean) => ({
    answered,
    unlisted,
    traceless,
    hidden,
    alive,
    failed,
    complete,
  });
  for (let next = 0; next < vanished.length; next += sideBySide) {
    const some = vanished.slice(next, next + sideBySide);
    if (asking.stop.aborted || inARow >= failuresInARow) return soFar(false);
    const fetched = await Promise.all(
      some.map(async (one) => ({
        one,
        fetched: await fetchItem(asking, one.identifier, one.deliveredFrom),
      })),
    );
    for (const { one, fetched: what } of fetched) {
      const { id, identifier, formats, lastSeenRun = 0 } = one;
      const answer = await takeAnswer(deps, lease, asking, identifier, what, { isMet: isSample });
      if (answer === 'failed') {
        failed += 1;
        if (!concernsItem(what)) inARow += 1;
        continue;
      }
      inARow = 0;
      const isThere = isUnlisted(answer);
      if (isThere && (previousRun === undefined || lastSeenRun >= previousRun)) {
        unlisted.push(identifier);
        continue;
      }
      // Two lists left out what is there: somebody has hidden it, and so its past.
      if (isThere && typeof answer === 'object')
        await storeAnswers(deps, lease, asking, { items: [hide(answer, formats)] });
      answered.push(id);
      if (answer === 'unknown') traceless += 1;
      if (typeof answer === 'object' && (isThere || answer.deleted)) hidden += 1;
      if (isAlive(answer, formats)) alive += 1;
    }
  }
  return soFar(true);
}

function isUnlisted(answer: Answer): boolean {
  return typeof answer === 'object' && answer.unlisted === true && !answer.deleted;
}

function hide(item: SourceItem, known: readonly string[]): SourceItem {
  const { formats, files } = item.speaksFor;
  return {
    ...item,
    ...{ deleted: true, refused: true, unlisted: undefined, metadata: [], same: [], files: [] },
    speaksFor: { formats: [...new Set([...formats, ...known])], files },
  };
}

/** Whether anything is there of what the list left out. */
function isAlive(answer: Answer, formats: readonly string[]): boolean {
  return (
    typeof answer === 'object' &&
    !answer.deleted &&
    answer.unlisted !== true &&
    answer.metadata.some(({ format }) => formats.includes(format))
  );
}
