import { earlier, later } from '../core/datetime.ts';
import { describeError, isBridgeError } from '../core/errors.ts';
import type { SourceSet } from '../resourcesync/discovery/found-source.ts';
import type { Validators } from '../resourcesync/reading/fetched-document.ts';
import type { Way } from './choice/way.ts';
import { stageChanges } from './stages/change-stage.ts';
import { type StagedList, stageList } from './stages/list-stage.ts';
import { stageChangeDumps, stageResourceDumps } from './stages/manifest-stage.ts';
import { addTally, newTally, type Staging, type Tally } from './stages/staging.ts';
import { fillFromDumps } from './stages/whole-dump.ts';

/** Before anybody published anything. */
const beginning = '1970-01-01T02:00:00Z';

export interface ReadingDeps {
  readonly set: SourceSet;
  readonly staging: Staging;
  readonly note: (text: string) => void;
  /** What somebody asked for. */
  readonly asked: Way | undefined;
  readonly isOtherSelection: boolean;
}

/** What the documents of a set say becomes rows, and the cursor moves with them. Nothing is fetched for it. */
export class SourceReading {
  readonly tally: Tally = newTally();
  readonly ways: { way: Way; why: string }[] = [];
  readonly #deps: ReadingDeps;

  constructor(deps: ReadingDeps) {
    this.#deps = deps;
  }

  /** Everything that is needed, the chosen way first. */
  async read(first: { way: Way; why: string }): Promise<void> {
    const { set, asked } = this.#deps;
    this.ways.push(first);
    const before = this.#cursor;
    let gap: string | undefined;
    if (first.way === 'incremental') {
      const from = before ?? beginning;
      gap = await this.#followChanges(from, from);
      if (gap === undefined) return;
      // Who asked for changes alone gets nothing else.
      if (!offersList(set) || asked === 'incremental') {
        this.#tellGap(gap, from);
        return;
      }
      // Where everything is compared now, nothing is missing any more.
      this.ways.push({ way: 'audit', why: gap });
    }
    if (first.way === 'baseline' && (await this.#fill())) return;
    const listed = await this.#readLists(gap !== undefined || first.why === 'as asked');
    if (listed === undefined && gap !== undefined) this.#tellGap(gap, before ?? beginning);
    if (listed === undefined || !offersChanges(set)) return;
    const { at, since } = listed;
    // A list that is older than what is known takes nothing of it back.
    const from = before !== undefined && gap === undefined ? later(before, at) : at;
    this.#staging.database.keep('cursor', from);
    await this.readNewest(from, since);
  }

  /** Behind a list that was read: what it says can be copied, whatever becomes of the changes since. */
  async readNewest(from: string, since = from): Promise<void> {
    try {
      await this.readChanges(from, since);
    } catch (error) {
      if (!isBridgeError(error) || error.code === 'interrupted') throw error;
      this.#deps.note(`the changes since ${from} could not be read: ${describeError(error)}`);
    }
  }

  /**
   * @param since changes from then on may be news, too, though what is before `from` is known
   * @returns the gap that keeps the cursor where it is
   */
  async readChanges(from: string, since = from): Promise<string | undefined> {
    const gap = await this.#followChanges(from, since);
    if (gap !== undefined) this.#tellGap(gap, from);
    return gap;
  }

  #tellGap(gap: string, from: string): void {
    const { set, note } = this.#deps;
    // What changed before anybody looked is missing from changes alone.
    if (offersList(set) || from !== beginning) note(`changes may be missing: ${gap}`);
  }

  async #followChanges(from: string, since: string): Promise<string | undefined> {
    const { set } = this.#deps;
    const { changelist, changedump } = set.lists;
    const hasList = offersList(set);
    const staged =
      changelist.length > 0
        ? await stageChanges(changelist, from, this.#staging, since)
        : await stageChangeDumps(changedump, from, this.#staging, since);
    addTally(this.tally, staged);
    if (staged.gap === undefined || !hasList) this.#staging.database.keep('cursor', staged.cursor);
    return staged.gap;
  }

  get #staging(): Staging {
    return this.#deps.staging;
  }

  get #cursor(): string | undefined {
    return this.#staging.database.setting('cursor');
  }

  /** @returns false: lists have to say what there is */
  async #fill(): Promise<boolean> {
    const { resourcedump, changelist } = this.#deps.set.lists;
    const { filler, database } = this.#staging;
    if (filler === undefined || resourcedump.length === 0 || changelist.length === 0) return false;
    const filled = await fillFromDumps(resourcedump, changelist, this.#staging, filler);
    if (filled === undefined) return false;
    addTally(this.tally, filled);
    database.keep('cursor', filled.cursor);
    return true;
  }

  /**
   * @param isNeeded read them, even if they are the same as the last time
   * @returns the earliest moment that all of them are complete at, and when they were made; undefined: they are not complete
   */
  async #readLists(isNeeded: boolean): Promise<{ at: string; since: string } | undefined> {
    const { resourcelist, resourcedump } = this.#deps.set.lists;
    let at: string | undefined;
    let since: string | undefined;
    for (const uri of resourcelist) {
      const moment = await this.#readList(uri, isNeeded);
      if (moment === 'incomplete') return undefined;
      if (moment === undefined) continue;
      at = earlier(at ?? moment.at, moment.at);
      since = earlier(since ?? at, moment.since ?? at);
    }
    if (resourcelist.length === 0) {
      const staged = await stageResourceDumps(resourcedump, this.#staging);
      addTally(this.tally, staged);
      if (staged.incomplete !== undefined) {
        this.#deps.note(`the Resource Dump was not read to its end: ${staged.incomplete}`);
        return undefined;
      }
      at = staged.at;
      since = staged.since;
    }
    if (at === undefined) return undefined;
    this.#staging.database.keep('cursor', later(this.#cursor ?? at, at));
    return { at, since: since ?? at };
  }

  /** Where nothing else says what there is, somebody may want a list that is older than what is known. */
  get #ofOlder() {
    const isBelieved = this.#deps.asked === 'baseline';
    return { isBelieved, advice: '--baseline takes it as it is' };
  }

  async #readList(
    uri: string,
    isNeeded: boolean,
  ): Promise<Pick<StagedList, 'at' | 'since'> | 'incomplete' | undefined> {
    const { database } = this.#staging;
    const name = `list ${uri}`;
    const known = JSON.parse(database.setting(name) ?? '{}') as KnownList;
    const isToBeRead = this.#deps.isOtherSelection || isNeeded || this.#cursor === undefined;
    const staged = await stageList(uri, this.#staging, {
      at: known.newest ?? known.at,
      validators: isToBeRead ? undefined : known.validators,
      ...(offersChanges(this.#deps.set) ? {} : this.#ofOlder),
    });
    if (staged === undefined) return known.at === undefined ? undefined : { at: known.at };
    addTally(this.tally, staged);
    if (staged.incomplete !== undefined) {
      this.#deps.note(staged.incomplete);
      return 'incomplete';
    }
    if (staged.doubt !== undefined) this.#deps.note(staged.doubt);
    const { at, validators } = staged;
    const newest = later(at, known.newest ?? known.at ?? at);
    database.keep(name, JSON.stringify({ at, newest, validators } satisfies KnownList));
    return staged;
  }
}

/** What there is, as a list or as the manifests of a dump. */
export function offersList({ lists }: Pick<SourceSet, 'lists'>): boolean {
  return lists.resourcelist.length > 0 || lists.resourcedump.length > 0;
}

export function offersChanges({ lists }: Pick<SourceSet, 'lists'>): boolean {
  return lists.changelist.length > 0 || lists.changedump.length > 0;
}

/** What was kept of a list, to ask only whether it is another. */
interface KnownList {
  readonly at?: string;
  /** The latest that it ever was as of; undefined: the same. */
  readonly newest?: string;
  readonly validators?: Validators;
}
