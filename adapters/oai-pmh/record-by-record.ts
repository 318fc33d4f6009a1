import type { Problem } from '../../src/core/adapter.ts';
import { describeError, isBridgeError } from '../../src/core/errors.ts';
import { Chain } from './chain.ts';
import type { ChainOutcome, ChainPage } from './chain-page.ts';
import { type ChainState, passKey } from './checkpoint.ts';
import { clause } from './clause.ts';
import type { DistinctRecords } from './distinct-records.ts';
import { requestRecord } from './get-record.ts';
import type { Listing } from './listing.ts';
import { PageBatch } from './page-batch.ts';
import type { Pass } from './passes.ts';
import type { CutRecord } from './record-parser.ts';
import { remedyFor } from './trouble.ts';
import { describeWindow } from './window.ts';

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
  readonly #state: ChainState;
  readonly #known: DistinctRecords | undefined;
  readonly #bad: Set<string>;
  readonly #signal: AbortSignal;
  #badInRow = 0;

  /**
   * @param memory what came from the window before it failed, and need not come again; what could not be had in
   * the pass so far, as windows share some of their records
   */
  constructor(
    listing: Listing<Entry>,
    pass: Pass,
    state: ChainState,
    memory: { readonly known: DistinctRecords | undefined; readonly bad: Set<string> },
    signal: AbortSignal,
  ) {
    this.#listing = listing;
    this.#pass = pass;
    this.#state = state;
    this.#known = memory.known;
    this.#bad = memory.bad;
    this.#signal = signal;
  }

  async *pages(): AsyncGenerator<ChainPage<Entry>> {
    const headers: Listing<CutRecord> = {
      ...this.#listing,
      verb: 'ListIdentifiers',
      read: () => (record) => ({ entry: record, problem: undefined }),
    };
    // A list that waits to be read would keep the place at the host that the records need.
    const options = { patience: 3, isLong: () => undefined, strict: false, asksAhead: false };
    const chain = new Chain(headers, this.#pass, this.#state, options, this.#signal);
    const batch = new PageBatch(this.#listing.read(this.#pass), this.#listing.lists);
    for await (const page of chain.pages()) {
      for (const problem of page.problems) batch.report(problem);
      for (const header of page.entries) {
        try {
          await this.#fetch(header, batch);
        } catch (error) {
          if (this.#signal.aborted) throw error;
          yield { ...batch.take(), after: this.#state, outcome: { kind: 'failed', error } };
          return;
        }
        if (this.#badInRow > maximumInRow) {
          const doubt = `${maximumInRow} records in a row of ${this.#name} could not be had`;
          yield { ...batch.take(), after: this.#state, outcome: { kind: 'doubtful', end: { doubt } } };
          return;
        }
        if (batch.full) yield { ...batch.take() };
      }
      const after = page.after && { ...page.after, single: true };
      const outcome = page.outcome && this.#judge(page.outcome);
      yield { ...batch.take(), after, ...(outcome === undefined ? {} : { outcome }) };
    }
  }

  async #fetch(header: CutRecord, batch: PageBatch<Entry>): Promise<void> {
    const { identifier } = header;
    if (header.deleted || header.quarantine !== undefined) {
      batch.add(header);
      return;
    }
    if (this.#known?.has(identifier) || this.#bad.has(identifier)) return;
    try {
      const { endpoint } = this.#listing;
      const record = await requestRecord(endpoint, identifier, this.#pass.format, this.#signal, patience);
      if (typeof record === 'string')
        this.#quarantine(identifier, `the repository calls it ${record}`, batch);
      else batch.add(record);
      this.#badInRow = 0;
    } catch (error) {
      if (this.#signal.aborted || isAboutEndpoint(error)) throw error;
      this.#badInRow += 1;
      this.#quarantine(identifier, describeError(error), batch);
    }
  }

  /** What is published of it stays: that it cannot be had says nothing about whether it is there (quirk 69). */
  #quarantine(identifier: string, reason: string, batch: PageBatch<Entry>): void {
    // A neighbouring window, read at the same time, was faster.
    if (this.#bad.has(identifier)) return;
    const message = `The record ${identifier} is listed, but cannot be had: ${clause(reason)}.`;
    const problem: Problem = {
      code: 'record-quarantined',
      identifier,
      format: this.#pass.format,
      message,
    };
    const { context, endpoint } = this.#listing;
    context.log.warn({ url: endpoint.url, identifier, reason }, 'record cannot be had');
    this.#bad.add(identifier);
    batch.report(problem);
  }

  #judge(outcome: ChainOutcome): ChainOutcome {
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

/** A single record may be anything, a page for people included; but a login, or no answer at all, is for all. */
function isAboutEndpoint(error: unknown): boolean {
  if (!isBridgeError(error)) return true;
  switch (error.code) {
    case 'upstream-status':
      return / 40[137]$/.test(error.message);
    case 'upstream-unreachable':
      return remedyFor(error) === 'stop';
    case 'upstream-busy':
    case 'address-refused':
    case 'too-many-redirects':
      return true;
    default:
      return false;
  }
}
