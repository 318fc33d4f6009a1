import { areCountOf } from '../../core/count-of.ts';
import { later } from '../../core/datetime.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import type { Validators } from '../../resourcesync/reading/fetched-document.ts';
import { type ReadTree, readTree, type TreeVisitor } from '../../resourcesync/reading/list-tree.ts';
import type { Fault } from '../../resourcesync/reading/part-moments.ts';
import { earlierMoment, type Moment, momentOf } from '../../resourcesync/reading/stated-time.ts';
import type { Statement } from '../../resourcesync/reading/statement.ts';
import { emptyList } from '../choice/deletion-fuse.ts';
import { isEarlierState, type StatedResource } from '../state/due-resources.ts';
import type { HeldResource } from '../state/held-resources.ts';
import { isAsStated, otherHashes } from './as-stated.ts';
import { SeenIds } from './seen-ids.ts';
import { newTally, type Staging, type Tally } from './staging.ts';

export interface StagedList extends Tally {
  /** The moment that the list tells of, in the Source's time: what is staged is complete up to it. */
  readonly at: string;
  /** When it was made, at the earliest, where that is not sure: what changed since counts. */
  readonly since?: string | undefined;
  /** Undefined: every part was read, so that an absence counts. */
  readonly incomplete: string | undefined;
  /** Why the copy is not what the list says: it names not all that may be there, or is older than what is known. */
  readonly doubt?: string | undefined;
  /** By which the next reading is told that the list is the same; none where that says nothing of what it lists. */
  readonly validators: Validators;
}

/** What is known of a list before it is read. */
export interface ListBefore {
  /** It need not be read where it is the same. */
  readonly validators?: Validators | undefined;
  /** The latest moment that it told of. */
  readonly at?: string | undefined;
  /** What somebody may do about a list of an earlier moment; undefined: wait for a newer one. */
  readonly advice?: string | undefined;
  /** What it says counts as of that moment, even if it is as of an earlier one. */
  readonly isBelieved?: boolean;
}

/**
 * Compares a whole Resource List with what is held, entry by entry: what differs becomes due, what is listed nowhere is
 * doomed.
 * @param before of earlier readings
 * @returns undefined: the list is the same as then
 * @throws BridgeError where not even its beginning can be read
 */
export async function stageList(
  uri: string,
  staging: Staging,
  before: ListBefore = {},
): Promise<StagedList | undefined> {
  const { due, listed = due } = staging;
  const inventory = new Inventory(staging, listed.add.bind(listed));
  const believed = (moment: string) =>
    before.isBelieved && before.at !== undefined ? later(moment, before.at) : moment;
  let current: Moment | undefined;
  let earliest: Moment | undefined;
  let isTelling = true;
  const read = await readTree(
    staging.port,
    uri,
    {
      capability: 'resourcelist',
      opened: (document, servedAt) => {
        const { at: stated } = document.times;
        if (current !== undefined && stated === undefined) return;
        current = momentOf(stated, servedAt ?? staging.now(), staging.remarks.at(uri));
        earliest = earlierMoment(earliest, current);
        const isOlder = before.at !== undefined && current.known < before.at;
        if (isOlder && before.isBelieved !== true) inventory.comesBehind(before.at);
      },
      statement: (statement) => {
        isTelling &&= statement.hashes.length > 0 || statement.lastmod !== undefined;
        inventory.stage(statement, believed(current?.since ?? staging.now()));
      },
      // Of what is held as it is stated, and of what comes as it is stated, nobody asks for them.
      linkReading: 'later',
    },
    staging.remarks,
    before.validators ?? {},
  );
  if (read === undefined) return undefined;
  staging.listed?.write();
  // What came between two parts is in none of them, perhaps.
  const { at: stated = earliest?.known } = read.times;
  const top = momentOf(stated, read.servedAt ?? staging.now(), staging.remarks.at(uri));
  const { known: at, since: made } = earlierMoment(earliest, top);
  const since = believed(made);
  const isDoubtful = read.isPaged && read.faults.length === 0 && inventory.misses(since);
  const again = isDoubtful ? await meetAgain(uri, staging, inventory) : undefined;
  const [fault] = again?.faults ?? read.faults;
  const incomplete = fault && incompleteText(uri, fault);
  if (incomplete === undefined) inventory.doomUnseen(since);
  const isOld = incomplete === undefined && since < top.since && inventory.misses(top.since);
  const doubt = isOld
    ? `${uri} has a part as of ${at}: what is in none of them may have come since`
    : incomplete === undefined
      ? olderText(uri, at, before, inventory.differencesSince(since))
      : undefined;
  inventory.lookAtOthers();
  const validators = isTelling && doubt === undefined ? read.validators : {};
  return { ...inventory.tally, at, since: made, incomplete, doubt, validators };
}

/** @param differences what the list would take back of what was known */
function olderText(uri: string, at: string, { at: known, advice }: ListBefore, differences: number) {
  if (differences === 0 || known === undefined) return undefined;
  const what = `${uri} is as of ${at}, and was as of ${known} when it was read before`;
  const stays = `${areCountOf(differences, 'resource')} otherwise in the copy, or missing on one side, and stay${differences === 1 ? 's' : ''} so until it is newer`;
  return `${what}: ${stays}${advice === undefined ? '' : `; ${advice}`}`;
}

function incompleteText(uri: string, fault: Fault): string {
  const what = fault.isOtherMoment === true ? 'has parts of different moments' : 'was not read to its end';
  return `${uri} ${what}: ${fault.uri}: ${fault.reason}`;
}

/** Pages that are made when they are asked for: what moved from one to another meanwhile is there all the same. */
async function meetAgain(
  uri: string,
  { port, remarks }: Staging,
  inventory: Inventory,
): Promise<Pick<ReadTree, 'faults'> | undefined> {
  try {
    const visitor: TreeVisitor = {
      capability: 'resourcelist',
      statement: ({ loc }) => inventory.meet(loc),
      linkReading: 'left-out',
    };
    return await readTree(port, uri, visitor, remarks);
  } catch (error) {
    if (!isBridgeError(error) || error.code === 'interrupted') throw error;
    return { faults: [{ uri, reason: describeError(error) }] };
  }
}

/** Everything that there is, as a list tells it or the manifests of a dump, against what is held. */
export class Inventory {
  readonly tally: Tally = newTally();
  readonly #staging: Staging;
  readonly #seen: SeenIds;
  readonly #hasDue: boolean;
  readonly #highest: number;
  #oldest: string | undefined;
  readonly #become: (statement: Statement, asOf: string) => void;
  /** The moment of a list that was read before, where this one is older. */
  #newest: string | undefined;
  /** Entries that say otherwise than was known at that moment. */
  #contradictions = 0;

  /** @param become what is to come; by default it is due */
  constructor(
    staging: Staging,
    become: (statement: Statement, asOf: string) => void = (statement, asOf) =>
      staging.due.add(statement, asOf),
  ) {
    this.#become = become;
    this.#staging = staging;
    this.#highest = staging.held.highestId();
    this.#seen = new SeenIds(this.#highest);
    this.#hasDue = staging.due.count() > 0;
  }

  /** @param newest as of which the list was read before, and is not now: what is known of then and not said so is a difference */
  comesBehind(newest: string): void {
    this.#newest = newest;
  }

  /** @param asOf when it was so, in the Source's time */
  stage(statement: Statement, asOf: string): void {
    const { tally } = this;
    tally.entries += 1;
    if (this.#oldest === undefined || asOf < this.#oldest) this.#oldest = asOf;
    this.#stage(statement, asOf);
    this.#staging.database.breathe();
    if (tally.entries % 1000 === 0) this.#staging.onProgress?.(tally.entries);
  }

  #stage(statement: Statement, asOf: string): void {
    const { held, due, comparison } = this.#staging;
    const { tally } = this;
    const found = held.find(statement.loc);
    const isAgain = found !== undefined && this.#seen.has(found.id);
    if (isAgain && isEarlierState(statement, due.find(statement.loc) ?? found)) {
      tally.outdated += 1;
      return;
    }
    // It is there, whether it is wanted or not.
    if (found) this.#seen.add(found.id);
    if (!this.#staging.isWanted(statement)) {
      tally.excluded += 1;
      if (found && found.doomed === undefined && this.#staging.dropsExcluded) {
        held.doom(found.id, asOf);
        tally.doomed += 1;
      }
      return;
    }
    if (found && (found.asOf > asOf || (found.doomed ?? '') > asOf)) {
      tally.outdated += 1;
      const contradicts =
        this.#wasListed(later(found.asOf, found.doomed ?? '')) && isAsStated(found, statement) === false;
      if (contradicts) this.#contradictions += 1;
      // What came after the list was made is no difference.
      if (!this.#comesAnew(found)) comparison?.note(contradicts ? 'different' : 'same', statement.loc);
      return;
    }
    const state = (found && comparison?.look(found)) ?? 'same';
    if (found && state === 'same' && isAsStated(found, statement) === true) {
      tally.same += 1;
      comparison?.note('same', statement.loc);
      const isNews = statement.lastmod !== undefined && statement.lastmod !== found.lastmod;
      if (isNews || found.doomed !== undefined || found.isProvisional)
        held.confirm(found.id, asOf, statement.lastmod, otherHashes(statement.hashes));
      // Who is to be told of it has not been told yet; the newest statement is the one that counts.
      if (this.#hasDue && due.find(statement.loc)) due.add(statement, asOf);
      // By its other entry, of a former state.
      else if (isAgain) due.drop(statement.loc, asOf);
      return;
    }
    const gone = found ? undefined : held.goneSince(statement.loc);
    if (gone !== undefined && gone > asOf) {
      tally.outdated += 1;
      if (this.#wasListed(gone)) {
        this.#contradictions += 1;
        comparison?.note('missing', statement.loc);
      }
      return;
    }
    if (!this.#staging.isAllowed(statement.loc)) {
      tally.foreign += 1;
      comparison?.note('refused', statement.loc);
      return;
    }
    tally.due += 1;
    if (found && state !== 'same') this.#unknow(found, state);
    else comparison?.note(found ? 'different' : 'missing', statement.loc);
    if (found?.doomed !== undefined) held.reprieve(found.id);
    this.#become(statement, asOf);
  }

  /** At that moment the list said so, or nothing else. */
  #wasListed(asOf: string): boolean {
    return this.#newest !== undefined && asOf <= this.#newest;
  }

  /** Of what no list tells now, the state says what is to lie there. @returns whether it does not */
  #comesAnew(found: HeldResource): boolean {
    const { comparison, due, isAllowed } = this.#staging;
    if (found.doomed !== undefined || !isAllowed(found.loc)) return false;
    const state = comparison?.look(found) ?? 'same';
    if (state === 'same') return false;
    this.tally.due += 1;
    this.#unknow(found, state);
    due.add(statementOf(found), found.asOf);
    return true;
  }

  /** It has its place, and what lies there is not what the state had. */
  #unknow({ id, loc }: HeldResource, state: 'missing' | 'different'): void {
    const { held, comparison } = this.#staging;
    held.unknow(id);
    comparison?.mends(state);
    comparison?.note(state, loc);
  }

  /** The files of what stays, and was not named: it came after the list was made, or not all of that was read. */
  lookAtOthers(): void {
    const { held, comparison, database } = this.#staging;
    if (comparison?.looked === undefined) return;
    for (const { id, loc, isDoomed } of held.all()) {
      if (id > this.#highest) return;
      if (isDoomed || this.#seen.has(id)) continue;
      const found = held.find(loc);
      if (found) this.#comesAnew(found);
      database.breathe();
    }
  }

  /** It is there, and nothing else is learnt of it. */
  meet(loc: string): void {
    const found = this.#staging.held.find(loc);
    if (found) this.#seen.add(found.id);
    this.#staging.database.breathe();
  }

  /** Whether anything that is held was not named. */
  misses(at: string): boolean {
    return !this.#unseen(at).next().done;
  }

  /**
   * What a list as of a moment would take back of what a later one said. To be called at its end.
   * @returns how many resources
   */
  differencesSince(at: string): number {
    let count = this.#contradictions;
    if (this.#newest === undefined || this.#newest <= at) return count;
    for (const { loc, asOf } of this.#unseen(this.#newest)) {
      if (asOf <= at) continue;
      count += 1;
      this.#staging.comparison?.note('surplus', loc);
    }
    return count;
  }

  /** To be called when nothing is missing from what was staged: what was not named is not there any more. */
  doomUnseen(at: string): void {
    const { held, due, database, comparison } = this.#staging;
    // What is due and was listed is as of this list by now.
    if (this.#hasDue && this.#oldest !== undefined) due.dropOlder(this.#oldest);
    const { entries } = this.tally;
    for (const { id, loc, asOf } of this.#unseen(at)) {
      this.tally.doomed += 1;
      comparison?.note('surplus', loc);
      held.doom(id, later(asOf, at));
      if (entries === 0) database.keep(emptyList, 'yes');
      database.breathe();
    }
    if (entries > 0) database.keep(emptyList, undefined);
  }

  *#unseen(at: string): Generator<{ readonly id: number; readonly loc: string; readonly asOf: string }> {
    for (const one of this.#staging.held.all()) {
      // A package brings what it lists.
      if (one.id > this.#highest) return;
      // What came after the list was made is in none of its parts.
      if (!this.#seen.has(one.id) && one.asOf <= at && !one.isDoomed) yield one;
    }
  }
}

function statementOf({ loc, lastmod, hashes, length }: HeldResource): StatedResource {
  const nothing = { change: undefined, type: undefined, links: [], unreadLinks: undefined };
  return { loc, lastmod, hashes, length, ...nothing };
}
