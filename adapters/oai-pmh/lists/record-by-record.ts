import type { Problem } from '../../../src/core/adapter.ts';
import { describeError, failure, isBridgeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { listSets } from '../endpoint/list-sets.ts';
import { requestRecord } from '../items/get-record.ts';
import { DistinctRecords } from '../verdicts/distinct-records.ts';
import { type ChainState, newChain, passKey } from '../windows/checkpoint.ts';
import type { Pass } from '../windows/passes.ts';
import { describeWindow } from '../windows/window.ts';
import { clause } from '../wire/clause.ts';
import type { CutRecord } from '../wire/record-parser.ts';
import { isAboutEndpoint, remedyFor } from '../wire/trouble.ts';
import { Chain } from './chain.ts';
import type { ChainOutcome, ChainPage } from './chain-page.ts';
import type { Listing } from './listing.ts';
import { maximumSets, OtherLists } from './other-lists.ts';
import { PageBatch } from './page-batch.ts';

/** With so many bad ones in a row it is not the records. */
const maximumInRow = 50;
const patience = 2;

/**
 * The last resort for a window that fails and cannot be made any smaller: its identifiers are listed, and each
 * record is asked for alone. What cannot be had is named; the rest lives (quirk 12).
 */
export class RecordByRecord<Entry> {
  readonly #listing: Listing<Entry>;
  readonly #pass: Pass;
  readonly #wide: boolean;
  readonly #batch: PageBatch<Entry>;
  readonly #found: DistinctRecords;
  readonly #others: OtherLists;
  #state: ChainState;
  readonly #known: DistinctRecords | undefined;
  readonly #bad: Set<string>;
  readonly #failing: ReadonlyMap<string, string>;
  readonly #remembered: boolean;
  readonly #missed = new Set<string>();
  readonly #signal: AbortSignal;
  #badInRow = 0;
  #stopped: unknown;

  /**
   * @param memory what came from the window before it failed, and need not come again; what could not be had in
   * the pass so far, as windows share some of their records; what was asked for in vain just now, and why; whether
   * the list was known to fail; whether lists of other formats and of sets are asked
   */
  constructor(
    listing: Listing<Entry>,
    pass: Pass,
    state: ChainState,
    memory: {
      readonly known: DistinctRecords | undefined;
      readonly bad: Set<string>;
      readonly failing: ReadonlyMap<string, string>;
      readonly remembered: boolean;
      readonly wide: boolean;
    },
    signal: AbortSignal,
  ) {
    this.#listing = listing;
    this.#pass = pass;
    this.#state = state;
    this.#known = memory.known;
    this.#bad = memory.bad;
    this.#failing = memory.failing;
    this.#remembered = memory.remembered;
    this.#wide = memory.wide;
    this.#batch = new PageBatch(listing.read(pass), listing.lists);
    this.#found = new DistinctRecords(listing.lists);
    this.#others = new OtherLists(memory.known);
    this.#signal = signal;
  }

  /** Records that came here and were not known. */
  get found(): number {
    return this.#found.size ?? 0;
  }

  /** Identifiers of what is listed here, and could not be had. */
  get missed(): readonly string[] {
    return [...this.#missed];
  }

  async *pages(): AsyncGenerator<ChainPage<Entry>> {
    const own = yield* this.#walk(this.#pass);
    if (!this.#wide || own.kind === 'failed' || own.kind === 'ended') {
      yield* this.#end(own);
      return;
    }
    const count = this.#known?.size ?? this.found;
    if (this.found === 0 && (await this.#hasLongerPages(count))) {
      yield* this.#end({ kind: 'suspicious', count });
      return;
    }
    for await (const pass of this.#otherPasses()) {
      const other = yield* this.#walk(pass);
      if (other.kind === 'failed' && this.#stopped !== undefined) {
        yield* this.#end(other);
        return;
      }
      if (pass.collection !== undefined) this.#others.setEnded(pass.collection, other);
    }
    const clear = this.found === 0 && this.#missed.size === 0;
    const whole = clear && this.#others.proveWhole(this.#listing.identifierPages.largest);
    yield* this.#end(whole ? { kind: 'ended' } : { kind: 'suspicious', count });
  }

  /** Whether the first page of the list without dates has more records: then a page of so many was not full. */
  async #hasLongerPages(count: number): Promise<boolean> {
    const { window } = this.#state;
    if (window.from === undefined && window.until === undefined) return false;
    const options = { patience: 1, isLong: () => undefined, strict: false, asksAhead: false };
    const chain = new Chain(this.#listing, this.#pass, newChain({}), options, this.#signal);
    for await (const page of chain.pages()) {
      if (page.outcome?.kind !== 'failed') break;
    }
    return this.#listing.pageSize.largest > count;
  }

  *#end(outcome: ChainOutcome): Generator<ChainPage<Entry>> {
    yield { ...this.#batch.take(), after: this.#state, outcome };
  }

  /** One list of identifiers, with the records that are not known. */
  async *#walk(pass: Pass): AsyncGenerator<ChainPage<Entry>, ChainOutcome> {
    const isOwn = pass === this.#pass;
    const headers: Listing<CutRecord> = {
      ...this.#listing,
      verb: 'ListIdentifiers',
      // Its pages have another length.
      pageSize: this.#listing.identifierPages,
      readElsewhere: undefined,
      read: () => (record) => ({ entry: record, problem: undefined }),
    };
    // A list that waits to be read would keep the place at the host that the records need.
    const patient = isOwn && !this.#remembered;
    const options = { patience: patient ? 3 : 1, isLong: () => undefined, strict: false, asksAhead: false };
    const start = isOwn ? this.#state : newChain(this.#state.window, true);
    const chain = new Chain(headers, pass, start, options, this.#signal);
    const batch = this.#batch;
    for await (const page of chain.pages()) {
      if (isOwn) for (const problem of page.problems) batch.report(problem);
      for (const header of page.entries) {
        if (isOwn) this.#others.seeOwn(header);
        else if (pass.collection !== this.#pass.collection) this.#others.seeInSet(header);
        try {
          await this.#fetch(header, isOwn);
        } catch (error) {
          if (this.#signal.aborted) throw error;
          this.#stopped = error;
          return { kind: 'failed', error };
        }
        if (this.#badInRow > maximumInRow) {
          const doubt = `${maximumInRow} records in a row of ${this.#name} could not be had`;
          return { kind: 'doubtful', end: { doubt } };
        }
        if (batch.full) yield { ...batch.take() };
      }
      if (isOwn && page.after !== undefined) this.#state = { ...page.after, single: true };
      if (page.outcome !== undefined) {
        if (isOwn) this.#others.ownEnded(page.outcome, chain.distinct);
        return isOwn ? this.#judge(page.outcome, chain.distinct) : page.outcome;
      }
      yield { ...batch.take(), ...(isOwn && page.after !== undefined ? { after: this.#state } : {}) };
    }
    throw new Error('a list ended without saying how');
  }

  /** What else may list identifiers of the window: other formats, and sets. */
  async *#otherPasses(): AsyncGenerator<Pass> {
    const { offered, endpoint, context } = this.#listing;
    const { format, collection } = this.#pass;
    for (const other of offered) if (other !== format) yield { ...this.#pass, format: other };
    let count = 0;
    try {
      for await (const { spec } of listSets(endpoint, this.#signal)) {
        if (collection !== undefined && !spec.startsWith(`${collection}:`)) continue;
        count += 1;
        if (count > maximumSets) return;
        yield { ...this.#pass, collection: spec };
      }
      // Of a set alone, some records may be in none of those below it.
      if (collection === undefined) this.#others.setsListed(count);
    } catch (error) {
      if (this.#signal.aborted) throw error;
      context.log.warn({ url: endpoint.url, ...failure(error) }, 'sets are not listed');
    }
  }

  async #fetch(header: CutRecord, isOwn: boolean): Promise<void> {
    const { identifier } = header;
    const batch = this.#batch;
    if (header.deleted || header.quarantine !== undefined) {
      if (isOwn) batch.add(header);
      return;
    }
    const isKnown = this.#known?.has(identifier) === true || this.#found.has(identifier);
    if (this.#bad.has(identifier)) this.#missed.add(identifier);
    if (isKnown || this.#bad.has(identifier)) return;
    const failing = this.#failing.get(identifier);
    if (failing !== undefined) {
      this.#quarantine(identifier, failing, batch);
      return;
    }
    try {
      const { endpoint } = this.#listing;
      const record = await requestRecord(endpoint, identifier, this.#pass.format, this.#signal, patience);
      if (typeof record === 'string') {
        if (isOwn) this.#quarantine(identifier, `the repository calls it ${record}`, batch);
      } else {
        batch.add(record);
        this.#found.add(identifier);
      }
      this.#badInRow = 0;
    } catch (error) {
      if (this.#signal.aborted || isAboutEndpoint(error)) throw error;
      this.#badInRow += 1;
      this.#quarantine(identifier, describeError(error), batch);
    }
  }

  /** What is published of it stays: that it cannot be had says nothing about whether it is there (quirk 69). */
  #quarantine(identifier: string, reason: string, batch: PageBatch<Entry>): void {
    this.#missed.add(identifier);
    // A neighbouring window, read at the same time, was faster.
    if (this.#bad.has(identifier)) return;
    const message = say('record-not-had', { identifier, why: clause(reason) });
    const problem: Problem = {
      code: 'record-quarantined',
      identifier,
      format: this.#pass.format,
      message,
    };
    const { context, endpoint } = this.#listing;
    context.log.warn({ url: endpoint.url, identifier, code: problem.code, reason }, 'record cannot be read');
    this.#bad.add(identifier);
    batch.report(problem);
  }

  #judge(outcome: ChainOutcome, listed: DistinctRecords): ChainOutcome {
    if (this.#wide) {
      // Only a list that has all that is known, and says where it ends, may be the whole.
      const whole = (listed.size ?? 0) >= (this.#known?.size ?? 0);
      return outcome.kind === 'ended' && whole ? outcome : { kind: 'suspicious', count: listed.size ?? 0 };
    }
    if (outcome.kind !== 'failed' || remedyFor(outcome.error) === 'stop') return outcome;
    // What is listed here is not to be had in this format (quirk 71).
    if (isBridgeError(outcome.error, 'oai-unknown-format')) return { kind: 'ended' };
    const reason = clause(describeError(outcome.error));
    const doubt = `Neither records nor identifiers of ${this.#name} could be listed (${reason})`;
    return { kind: 'doubtful', end: { doubt } };
  }

  get #name(): string {
    const { granularity } = this.#listing.dates;
    return `${passKey(this.#pass)}${describeWindow(this.#state.window, granularity)}`;
  }
}
