import type { Problem } from '../../../src/core/adapter.ts';
import { countOf } from '../../../src/core/count-of.ts';
import { describeError, failure } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import type { Chain } from '../lists/chain.ts';
import type { ChainOptions } from '../lists/chain-options.ts';
import type { ChainOutcome } from '../lists/chain-page.ts';
import type { Listing } from '../lists/listing.ts';
import { QuirkReports } from '../lists/quirk-reports.ts';
import type { DistinctRecords } from '../verdicts/distinct-records.ts';
import { type ListLength, longList, longWindow, partsOf, windowBudget } from '../verdicts/list-length.ts';
import { type DoubtfulEnd, isNearly } from '../verdicts/list-verdict.ts';
import { SecondLooks } from '../verdicts/second-looks.ts';
import { undividedDoubt } from '../verdicts/truncation-probe.ts';
import { newChain, type PassProgress, passKey } from '../windows/checkpoint.ts';
import type { Pass } from '../windows/passes.ts';
import { SharedBounds } from '../windows/shared-bounds.ts';
import { cutAt, describeWindow, type Window } from '../windows/window.ts';
import { type CutRequest, cut, type PlannedWindow, tailFrom, WindowPlan } from '../windows/window-plan.ts';
import { clause } from '../wire/clause.ts';
import { isAboutProtocol, remedyFor } from '../wire/trouble.ts';
import { Failures } from './failures.ts';

/** How long to leave a server alone that holds too many lists open. */
const exhaustionWaitMs = 60_000;
const maximumExhaustions = 5;
const maximumParts = 64;
/** So often, smaller lists are tried for what a list is short of. */
const maximumLooks = 20;

/** How a pass goes on after each of its windows: what is read in smaller ones, once more, or not at all. */
export class PassCourse<Entry> {
  readonly plan: WindowPlan;
  readonly #listing: Listing<Entry>;
  readonly #pass: Pass;
  readonly #base: Window;
  readonly #signal: AbortSignal;
  readonly #failures = new Failures();
  readonly #reports: QuirkReports;
  /** What came from a window before it failed, and need not come again. */
  readonly #known = new WeakMap<PlannedWindow, DistinctRecords>();
  #bounds: SharedBounds;
  #progress: Omit<PassProgress, 'windows'>;
  readonly #secondLooks = new SecondLooks();
  /** Pages per window, and what may be spent on windows for nothing. */
  #aim: number | undefined;
  #allowance = 0;
  #exhaustions = 0;
  #looks = 0;

  constructor(
    listing: Listing<Entry>,
    pass: Pass,
    progress: PassProgress | undefined,
    base: Window,
    signal: AbortSignal,
  ) {
    this.#listing = listing;
    this.#pass = pass;
    this.#base = base;
    this.#signal = signal;
    this.#reports = new QuirkReports(listing);
    const { windows, ...rest } = progress ?? { key: passKey(pass), delivered: 0, windows: [newChain(base)] };
    this.#progress = rest;
    this.plan = new WindowPlan(windows);
    this.#bounds = new SharedBounds(progress === undefined);
  }

  get progress(): PassProgress {
    return { ...this.#progress, windows: this.plan.states };
  }

  /** Windows that may be read at a time. */
  get places(): number {
    return this.#listing.habits.oneListOnly || this.#exhaustions > 0 ? 1 : this.#listing.lists;
  }

  /** Of the pass as a whole, for progress only. */
  get expected(): number | undefined {
    const [only, ...others] = this.plan.states;
    return others.length === 0 && this.#progress.cut === undefined ? only?.listSize : this.#progress.total;
  }

  takeProblems(): readonly Problem[] {
    return this.#reports.take();
  }

  knownOf(planned: PlannedWindow): DistinctRecords | undefined {
    return this.#known.get(planned);
  }

  /** A page has come; without records it proves nothing yet. */
  answered(records: number): void {
    if (records > 0) this.#failures.answered(records);
  }

  optionsFor(planned: PlannedWindow): ChainOptions {
    const { narrowed = false } = planned.state;
    const { cut: reason, total } = this.#progress;
    return {
      // A window that is a part of one that failed is itself another attempt; but the last one is thorough.
      patience: narrowed && (planned.remembered === true || planned.smallest !== true) ? 1 : 3,
      parentPage: planned.parentPage,
      strict: reason === 'long' && !narrowed,
      // Of a list that is too short, only the sizes of its parts tell which part.
      wholeSize: reason === undefined || reason === 'short' ? undefined : total,
      asksAhead: true,
      isLong: (length) => this.#isLong(planned, length),
    };
  }

  #isLong({ state, smallest }: PlannedWindow, length: ListLength): number | undefined {
    const { habits, dates, lists } = this.#listing;
    const { cut: reason, whole } = this.#progress;
    const never = smallest === true || whole === true || habits.windowTrouble || !dates.allowed;
    if (never || state.narrowed === true) return undefined;
    if (reason === undefined) {
      return state.window.from === undefined || lists > 1 ? longList(length, lists) : undefined;
    }
    if (this.#aim === undefined || this.#allowance <= 0) return undefined;
    return longWindow(length, lists, this.#aim);
  }

  /** Draws the consequences of how a window ended. @throws what ends the run */
  async settle(
    planned: PlannedWindow,
    chain: Chain<Entry> | undefined,
    outcome: ChainOutcome,
    records: number,
  ): Promise<void> {
    if (outcome.kind === 'failed') return this.#afterFailure(planned, chain, outcome.error);
    this.#failures.answered(records);
    if (chain !== undefined) this.#compare(planned.state.window, chain.distinct);
    if (outcome.kind === 'long') return this.#cutLong(planned, chain, outcome.pages);
    if (outcome.kind === 'ignored') return this.#afterIgnored(planned, chain);
    if (outcome.kind === 'suspicious' && this.#lookBehind(planned, chain, outcome.count)) return;
    if (outcome.kind === 'doubtful') {
      if (this.#lookAgain(planned, chain, outcome.end)) return;
      this.#doubt(outcome.end.doubt, planned.state.window, outcome.end.empty);
    }
    this.#finish(planned, chain);
  }

  #finish(planned: PlannedWindow, chain: Chain<Entry> | undefined): void {
    const { delivered, listSize } = planned.state;
    const { cut: reason, total = listSize } = this.#progress;
    const shared = reason === undefined || chain === undefined ? 0 : this.#bounds.add(chain.atBounds);
    this.#progress = { ...this.#progress, total, delivered: this.#progress.delivered + delivered - shared };
    if (reason === undefined) this.#progress = { ...this.#progress, stated: listSize };
    if (delivered === 0) {
      this.#allowance -= 1;
      this.plan.mergeBehind(planned);
    }
    this.#remove(planned);
  }

  #remove(planned: PlannedWindow): void {
    this.plan.remove(planned);
    if (this.plan.empty) this.#close();
  }

  /** The last window is finished; do they make up the list? */
  #close(): void {
    const { habits, mode } = this.#listing;
    const { delivered, total, cut: reason, inWindows, doubt, doubted } = this.#progress;
    if (inWindows !== undefined) {
      if (delivered > inWindows) habits.learnWindowTrouble('lossy');
      else habits.learnSizeIsEstimate();
    }
    if (reason !== undefined && total !== undefined && delivered < total) {
      const what = `ended after ${delivered} of ${countOf(total, 'record')}`;
      const tolerable = isNearly(delivered, total);
      // Records without a date in the index are in no window, for one; but all are in the list.
      const lossy = !(tolerable && (habits.sizeIsEstimate || !this.#bounds.exact));
      if (reason === 'long' && lossy) this.#readWhole(`read in windows, it ${what}`, delivered);
      else if (!tolerable && doubted !== true) this.#doubt(doubt ?? `The list of ${this.#name} ${what}`);
    } else if (delivered === 0 && mode === 'full' && doubted !== true)
      this.#doubt(`The list of ${this.#name} is empty`, {}, true);
  }

  #cutLong(planned: PlannedWindow, chain: Chain<Entry> | undefined, pages: number): void {
    const { lists, context, endpoint } = this.#listing;
    const again = this.#progress.cut !== undefined;
    if (this.#aim === undefined)
      ({ aim: this.#aim, allowance: this.#allowance } = windowBudget(pages, lists));
    this.#allowance -= 1;
    const { listSize } = planned.state;
    const pieces = this.#cut(planned, chain, partsOf(pages, this.#aim, again), chain?.sample.mixed === true);
    if (pieces.length === 1) {
      planned.smallest = true;
      planned.state = newChain(planned.state.window);
      return;
    }
    if (!again) {
      this.#progress = { ...this.#progress, cut: 'long', total: listSize, stated: listSize };
      const { url } = endpoint;
      context.log.info({ url, list: this.#name, windows: pieces.length }, 'list is read in windows');
    }
    this.plan.replace(planned, pieces, chain?.firstPage);
  }

  #afterIgnored(planned: PlannedWindow, chain: Chain<Entry> | undefined): void {
    const { trouble } = planned;
    if (trouble !== undefined) throw trouble;
    const { doubt, total } = this.#progress;
    if (doubt !== undefined && total === undefined) {
      const [whole] = this.plan.replaceAll([this.#base]);
      if (whole !== undefined) this.#lookWide(whole, chain);
      return;
    }
    if (doubt !== undefined) {
      // It says the same whatever it is asked: that it ended early is all there is to know.
      this.#doubt(doubt);
      this.plan.replaceAll([]);
      return;
    }
    const { habits, dates } = this.#listing;
    habits.learnWindowTrouble(dates.allowed ? 'ignored' : 'refused');
    this.#readWhole('it does not keep to the dates it is asked for');
  }

  #readWhole(reason: string, inWindows?: number): void {
    const message = say('list-in-one-piece', { list: this.#name, why: reason });
    this.#reports.add({ code: 'endpoint-quirk', message });
    const { key } = this.#progress;
    this.#progress = { key, delivered: 0, whole: true, inWindows };
    this.plan.replaceAll([this.#base]);
  }

  async #afterFailure(
    planned: PlannedWindow,
    chain: Chain<Entry> | undefined,
    error: unknown,
  ): Promise<void> {
    const remedy = remedyFor(error);
    if (remedy === 'stop') throw isAboutProtocol(error) ? (planned.trouble ?? error) : error;
    if (remedy === 'fewer') return this.#readFewer(planned, error);
    this.#failures.add(error);
    if (this.#failures.hopeless) throw this.#failures.first;
    this.#narrow(planned, chain, error);
  }

  /** It has no place for another list: later, and one at a time (quirk 20). */
  async #readFewer(planned: PlannedWindow, error: unknown): Promise<void> {
    const { habits, context, endpoint, lists } = this.#listing;
    this.#exhaustions += 1;
    if (this.#exhaustions > maximumExhaustions) throw error;
    if (lists > 1) habits.learnOneListOnly();
    context.log.warn({ url: endpoint.url, ...failure(error) }, 'too many lists open, waiting');
    await context.clock.sleep(exhaustionWaitMs, this.#signal);
    const { window, narrowed } = planned.state;
    planned.state = newChain(window, narrowed);
  }

  /** Two smaller windows instead of one that fails; record by record where it cannot be any smaller. */
  #narrow(planned: PlannedWindow, chain: Chain<Entry> | undefined, trouble: unknown): void {
    const { dates, verb } = this.#listing;
    const { state } = planned;
    if (!dates.allowed) throw trouble;
    const reason = clause(describeError(trouble));
    const isOne = planned.remembered === true;
    const pieces = isOne ? [] : this.#cut(planned, chain, 2, chain?.sample.only !== undefined);
    if (pieces.length > 1) {
      if (this.#progress.cut === undefined) {
        const what = `could not be read in one piece (${reason}); it is read in smaller ones`;
        this.#reports.add({ code: 'endpoint-quirk', message: `The list of ${this.#name} ${what}.` });
        const { listSize } = state;
        this.#progress = { ...this.#progress, cut: 'failing', total: listSize, stated: listSize };
      }
      this.plan.narrow(planned, pieces, { parentPage: chain?.firstPage, trouble });
    } else if (!isOne && planned.smallest !== true && state.narrowed === true && state.single !== true) {
      planned.smallest = true;
      planned.state = newChain(state.window, true);
    } else if (state.single !== true && verb === 'ListRecords') {
      if (chain !== undefined) this.#known.set(planned, chain.distinct);
      planned.trouble ??= trouble;
      planned.state = { ...newChain(state.window, true), single: true };
    } else {
      const { granularity } = dates;
      this.#doubt(
        `The list of ${this.#name}${describeWindow(state.window, granularity)} could not be read (${reason})`,
        state.window,
      );
      this.#remove(planned);
    }
  }

  /** Far fewer came than were announced: perhaps smaller lists have them all. @returns whether it is tried */
  #lookAgain(
    planned: PlannedWindow,
    chain: Chain<Entry> | undefined,
    { doubt, missing }: DoubtfulEnd,
  ): boolean {
    const { delivered, listSize = 0 } = planned.state;
    const { cut: reason, whole } = this.#progress;
    const { dates, mode } = this.#listing;
    if (missing !== true || whole === true || !dates.allowed || planned.state.narrowed === true) return false;
    if ((reason !== undefined && reason !== 'short') || mode !== 'full' || delivered === 0) return false;
    if (this.#looks >= maximumLooks) return false;
    this.#looks += 1;
    const parts = Math.min(maximumParts, Math.ceil(listSize / delivered) + 1);
    return this.#cutShort(planned, chain, parts, doubt, listSize);
  }

  /** @returns whether a list that may be cut off is read in smaller ones, or looked for in others */
  #lookBehind(planned: PlannedWindow, chain: Chain<Entry> | undefined, count: number): boolean {
    const { dates, habits, pageSize } = this.#listing;
    const { found = 0 } = planned;
    const { window, single } = planned.state;
    if (this.#secondLooks.isPart(window, count) && count !== habits.listEnd) return false;
    const page = chain?.firstPage;
    if (this.#secondLooks.isUndivided(page)) return false;
    const where = `${this.#name}${describeWindow(window, dates.granularity)}`;
    const doubt = `The list of ${where} ended without a token after exactly ${countOf(count, 'record')}`;
    const again = this.#secondLooks.cameElsewhere(page, window);
    const mayCut = single !== true && !again && dates.allowed;
    if (mayCut && this.#cutShort(planned, chain, 2, doubt)) {
      this.#secondLooks.begin(count, window, chain?.distinct);
      return true;
    }
    this.#secondLooks.cannotDivide(page);
    if (planned.wide !== true) return this.#lookWide(planned, chain);
    if (found > 0) habits.learnListEnd(count);
    const why = undividedDoubt({ count, found, pages: pageSize, known: habits.listEnd });
    if (why !== undefined) this.#doubt(say('list-ended-untold', { list: where, count, why }), window);
    return false;
  }

  /** It cannot be divided: what else lists identifiers may list more of them. */
  #lookWide(planned: PlannedWindow, chain: Chain<Entry> | undefined): true {
    if (chain !== undefined) this.#known.set(planned, chain.distinct);
    planned.wide = true;
    planned.state = { ...newChain(planned.state.window, true), single: true };
    return true;
  }

  #cutShort(
    planned: PlannedWindow,
    chain: Chain<Entry> | undefined,
    parts: number,
    doubt: string,
    total?: number,
  ): boolean {
    const { habits, dates } = this.#listing;
    const around = total === undefined ? chain?.sample.around(dates.granularity) : undefined;
    // A list that is cut off is cut in its middle, as far as that is known, so that more shows on both sides.
    const inMiddle = parts === 2 && habits.listEnd === undefined;
    const pieces =
      around === undefined
        ? this.#cut(planned, chain, parts, inMiddle)
        : cutAt(planned.state.window, around, dates.granularity);
    if (pieces.length === 1) return false;
    if (this.#progress.cut === undefined)
      this.#progress = { ...this.#progress, cut: 'short', total, stated: total, doubt };
    this.plan.replace(planned, pieces, chain?.firstPage);
    return true;
  }

  #compare(window: Window, distinct: DistinctRecords): void {
    const cutOffAt = this.#secondLooks.contradictedBy(window, distinct);
    if (cutOffAt === undefined) return;
    this.#listing.habits.learnListEnd(cutOffAt);
    // That it is cut off is no doubt any more; its parts tell for themselves.
    this.#progress = { ...this.#progress, doubt: undefined };
  }

  #cut(
    { state: { window } }: PlannedWindow,
    chain: Chain<Entry> | undefined,
    parts: number,
    byRecords: boolean,
  ): readonly Window[] {
    const { span, dates, lagSeconds } = this.#listing;
    const expected = span();
    const sample = chain?.sample;
    const request: CutRequest = {
      parts,
      granularity: dates.granularity,
      span: sample?.span(expected) ?? expected,
      quantiles: byRecords ? sample?.quantiles(Math.min(parts, 25), dates.granularity) : undefined,
      // There is one that has no end in time, and it is read last.
      tailFrom: this.#progress.cut === undefined ? tailFrom(window, expected, lagSeconds) : undefined,
    };
    return cut(window, request);
  }

  /** @param window of the list that is in doubt; default: all of it */
  #doubt(message: string, window: Window = {}, empty = false): void {
    this.#progress = { ...this.#progress, doubted: true };
    const { format, collection } = this.#pass;
    const part = { ...window, ...(collection === undefined ? {} : { collection }) };
    const about = { format, part, ...(empty ? { empty } : {}) };
    this.#reports.add({ code: 'list-doubtful', message: `${message}.`, ...about });
  }

  get #name(): string {
    return passKey(this.#pass);
  }
}
