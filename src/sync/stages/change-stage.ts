import { addSeconds, earlier } from '../../core/datetime.ts';
import { gapSince } from '../../resourcesync/following/change-coverage.ts';
import {
  ChangeTimes,
  latest,
  overlapSeconds,
  reached,
  type TimedChanges,
} from '../../resourcesync/following/change-times.ts';
import { readTree } from '../../resourcesync/reading/list-tree.ts';
import type { DocumentOpening, Member } from '../../resourcesync/reading/source-document.ts';
import type { Statement } from '../../resourcesync/reading/statement.ts';
import { isAsStated, otherHashes } from './as-stated.ts';
import { newTally, type Staging, type Tally } from './staging.ts';

export interface StagedChanges extends Tally {
  /** Up to which everything that the Source tells of is staged; never before the one of before. */
  readonly cursor: string;
  /** Why something may be missing; undefined: nothing is. */
  readonly gap: string | undefined;
}

/**
 * Reads changes since a moment, whatever their order: of each resource the latest counts. What is to be fetched becomes
 * due, what was deleted is doomed.
 * @param uris of Change Lists or indexes of them
 * @param since what changed from then on may be news, though all that was before `cursor` is known
 * @throws BridgeError where one of them cannot be read at all
 */
export async function stageChanges(
  uris: readonly string[],
  cursor: string,
  staging: Staging,
  since = cursor,
): Promise<StagedChanges> {
  const following = new Following(cursor, staging, since);
  for (const uri of uris) {
    const read = await readTree(staging.port, uri, following, staging.remarks);
    const [first] = read?.faults ?? [];
    if (first !== undefined) following.missing(`${first.uri} cannot be read: ${first.reason}`);
  }
  return following.finish();
}

/** Changes since a moment, as lists tell them or the manifests of a dump. */
export class Following {
  readonly capability = 'changelist';
  readonly #cursor: string;
  readonly #since: string;
  readonly #staging: Staging;
  readonly #tally: Tally = newTally();
  readonly #documents: TimedChanges[] = [];
  #current: ChangeTimes | undefined;
  #fault: string | undefined;
  /** The Source's own clock, where it tells; what lies behind it has not been. */
  #clock: string | undefined;

  constructor(cursor: string, staging: Staging, since: string) {
    this.#cursor = cursor;
    this.#since = addSeconds(since, -overlapSeconds);
    this.#staging = staging;
  }

  /** What ended long before is covered, and need not be read. */
  readonly wants = ({ times }: Pick<Member, 'times'>): boolean => {
    if (times.until === undefined || times.until >= this.#since) return true;
    this.covered(times);
    return false;
  };

  /** A document that need not be read. */
  covered(times: Member['times']): void {
    this.#documents.push({ ...times, oldest: undefined, newest: undefined });
  }

  readonly opened = (document: DocumentOpening, servedAt?: string): void => {
    this.#close();
    this.#current = new ChangeTimes(document, this.#cursor);
    this.#clock = latest(this.#clock, servedAt);
  };

  readonly statement = (statement: Statement): void => {
    const { database, now, onProgress } = this.#staging;
    const tally = this.#tally;
    tally.entries += 1;
    // Local time that calls itself UTC lies in the future: what is known then would hide what comes next.
    const at = earlier(this.#current?.timeOf(statement) ?? this.#cursor, this.#clock ?? now());
    if (at >= this.#since) stageChange(statement, at, this.#staging, tally);
    else tally.outdated += 1;
    database.breathe();
    if (tally.entries % 1000 === 0) onProgress?.(tally.entries);
  };

  /** A part could not be read: the cursor stays. */
  missing(reason: string): void {
    this.#fault ??= reason;
  }

  finish(): StagedChanges {
    this.#close();
    const gap = this.#fault ?? gapSince(this.#cursor, this.#documents);
    const clock = this.#clock ?? this.#staging.now();
    const end = this.#fault === undefined ? reached(this.#cursor, this.#documents, clock) : this.#cursor;
    return { ...this.#tally, gap, cursor: end };
  }

  #close(): void {
    if (this.#current) this.#documents.push(this.#current.covered());
    this.#current = undefined;
  }
}

function stageChange(statement: Statement, at: string, staging: Staging, tally: Tally): void {
  const { held, due } = staging;
  const { loc, change } = statement;
  const found = held.find(loc);
  if (!staging.isWanted(statement)) {
    tally.excluded += 1;
    return;
  }
  if (found && (found.asOf > at || (found.doomed ?? '') > at)) {
    tally.outdated += 1;
    return;
  }
  if (change === 'deleted') {
    due.drop(loc, at);
    // What stands behind it may be of before.
    if (found === undefined) held.noteGone(loc, at);
    if (found === undefined || found.doomed !== undefined) return;
    held.doom(found.id, at);
    tally.doomed += 1;
    return;
  }
  if (found && isAsStated(found, statement) === true) {
    tally.same += 1;
    // A deletion of the same second stands before it.
    held.confirm(found.id, at, statement.lastmod, otherHashes(statement.hashes));
    if (due.find(loc)) due.add(statement, at);
    return;
  }
  // It was applied when it was read before, and does not say enough to be compared.
  const isKnown = found && found.asOf === at && !found.isProvisional && statement.hashes.length === 0;
  if (isKnown) {
    tally.same += 1;
    return;
  }
  if (!found && (held.goneSince(loc) ?? '') > at) {
    tally.outdated += 1;
    return;
  }
  if (!staging.isAllowed(loc)) {
    tally.foreign += 1;
    return;
  }
  tally.due += 1;
  if (found?.doomed !== undefined) held.reprieve(found.id);
  due.add(statement, at);
}
