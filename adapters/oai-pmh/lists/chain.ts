import { toIso } from '../../../src/core/datetime.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { describeErrors, hasError, toBridgeError } from '../endpoint/oai-errors.ts';
import { tokenExpiry } from '../tokens/token-expiry.ts';
import { DistinctRecords } from '../verdicts/distinct-records.ts';
import { FilterLost, ListFilter, WindowIgnored } from '../verdicts/list-filter.ts';
import {
  type DoubtfulEnd,
  judgeErrors,
  judgePage,
  judgeRefusedToken,
  type PageVerdict,
  type Situation,
} from '../verdicts/list-verdict.ts';
import { PageTrail } from '../verdicts/page-trail.ts';
import { Sample } from '../verdicts/sample.ts';
import { mayBeCutOff } from '../verdicts/truncation-probe.ts';
import { type ChainState, newChain, passKey } from '../windows/checkpoint.ts';
import type { Pass } from '../windows/passes.ts';
import { describeWindow, isAtBound } from '../windows/window.ts';
import { ListResponse } from '../wire/list-response.ts';
import type { CutRecord, ResumptionToken } from '../wire/record-parser.ts';
import { remedyFor } from '../wire/trouble.ts';
import type { ChainOptions } from './chain-options.ts';
import type { Answer, ChainOutcome, ChainPage } from './chain-page.ts';
import { describeRefusal, ListRequests } from './list-requests.ts';
import type { Listing } from './listing.ts';
import { PageBatch } from './page-batch.ts';
import { QuirkReports } from './quirk-reports.ts';
import { isSteady } from './steady-token.ts';
import { TokenTrial } from './token-trial.ts';

/** One list, in one window, from token to token: to its end, or to where it fails. */
export class Chain<Entry> {
  readonly distinct: DistinctRecords;
  readonly sample = new Sample();
  readonly #listing: Listing<Entry>;
  readonly #pass: Pass;
  readonly #signal: AbortSignal;
  readonly #options: ChainOptions;
  readonly #requests: ListRequests<Entry>;
  readonly #trial: TokenTrial;
  readonly #reports: QuirkReports;
  readonly #filter: ListFilter;
  readonly #trail: PageTrail;
  #state: ChainState;
  /** The token comes from a checkpoint, and no answer to it has been good yet. */
  #resumed: boolean;
  /** Some token request had been sent before, and nothing tells that this cost no page. */
  #uncertain: boolean;
  /** The server may have seen the request before that is under way. */
  #repeated = false;
  /** Records delivered when this process last saw a token refused. */
  #furthest: number | undefined;
  /** Of this list in this process; undefined: it was begun by another. */
  #pages: number | undefined;
  firstPage: string | undefined;
  #lastCount = 0;
  /** Identifiers with a datestamp that the neighbouring windows have as well. */
  atBounds = new Set<string>();
  #fresh: string[] = [];
  #inventions = 0;
  #announced: number | undefined;

  constructor(
    listing: Listing<Entry>,
    pass: Pass,
    state: ChainState,
    options: ChainOptions,
    signal: AbortSignal,
  ) {
    this.#listing = listing;
    this.#pass = pass;
    this.#state = state;
    this.#options = options;
    this.#signal = signal;
    this.#requests = new ListRequests(listing, pass, signal);
    this.#reports = new QuirkReports(listing);
    this.#trial = new TokenTrial(listing.company, this.#requests);
    this.#filter = new ListFilter(pass.collection, state.window, listing.habits, listing.lists);
    this.#trail = new PageTrail(state);
    this.distinct = new DistinctRecords(listing.lists);
    this.#resumed = state.token !== undefined;
    // After a crash nobody knows whether the request had been answered already.
    this.#uncertain = this.#resumed;
    this.#pages = this.#resumed ? undefined : 0;
    if (this.#resumed) this.distinct.giveUp();
  }

  async *pages(): AsyncGenerator<ChainPage<Entry>> {
    try {
      for (let over = false; !over; ) over = yield* this.#step();
    } catch (error) {
      if (this.#signal.aborted) throw error;
      const ignored = error instanceof WindowIgnored;
      yield this.#page(undefined, { outcome: ignored ? { kind: 'ignored' } : { kind: 'failed', error } });
    } finally {
      // Whoever stops here leaves a response that nobody will read.
      this.#requests.leave();
    }
  }

  /** One response. @returns whether the chain is over */
  async *#step(): AsyncGenerator<ChainPage<Entry>, boolean> {
    if (this.#hasExpired()) {
      this.#restart('its token expired before it could be used');
      return false;
    }
    const answer = yield* this.#response();
    if (this.#state.token !== undefined && (this.#repeated || this.#resumed)) await this.#doubt(answer);
    this.#repeated = false;
    if (answer.envelope.errors.length === 0) {
      this.#listing.dates.accepted();
      return yield* this.#afterPage(answer);
    }
    return yield* this.#afterErrors(answer);
  }

  async #doubt(answer: Answer<Entry>): Promise<void> {
    const known = this.#uncertain && !this.#resumed;
    this.#uncertain = known || !(await isSteady(answer, this.#state, this.#pass, this.#requests));
  }

  *#afterErrors({ envelope, batch }: Answer<Entry>): Generator<ChainPage<Entry>, boolean> {
    const { errors } = envelope;
    const { dates, encoding } = this.#listing;
    const { token = '' } = this.#state;
    const isNothing = token !== '' && hasError(errors, 'noRecordsMatch');
    if ((token !== '' && this.#trial.failed()) || (isNothing && this.#lacksCompany())) return false;
    this.#count(batch.count, envelope.token);
    const verdict = judgeErrors(errors, this.#situation());
    if (verdict instanceof Error) {
      const invented = verdict.code === 'oai-error' && remedyFor(verdict) === 'narrow';
      if (!invented || this.#inventions > 0) throw verdict;
      // An invented code (quirk 26) may mean anything, so it is asked once more.
      this.#inventions += 1;
      this.#repeated = token !== '';
      return false;
    }
    if (verdict === 'other-dates') {
      const reason = describeErrors(errors);
      const refused = dates.arguments(this.#state.window);
      if (!dates.refused(reason, this.#requests.manner.form)) throw toBridgeError(errors);
      const message = describeRefusal(this.#listing, this.#state.window, refused, reason);
      this.#reports.add({ code: 'endpoint-quirk', message });
      if (!dates.allowed && this.#state.window.until !== undefined) {
        yield this.#page(batch, { outcome: { kind: 'ignored' } });
        return true;
      }
    } else if (verdict === 'more-arguments') {
      if (!this.#trial.refused()) throw toBridgeError(errors);
    } else if (verdict === 'other-token') {
      if (encoding.refused(token, this.#requests.manner.raw)) return false;
      const last = judgeRefusedToken(errors, this.#situation());
      if (last instanceof Error) {
        if (!this.#resumed && this.#trial.lacks()) return false;
        throw last;
      }
      // A token that grew old between two processes tells nothing about how far one of them gets.
      if (!this.#resumed) this.#furthest = this.#state.delivered;
      this.#restart(last.restart);
    } else if (verdict !== 'end' && 'restart' in verdict) {
      this.#set({ restarted: true });
      this.#restart(verdict.restart);
    } else {
      dates.accepted();
      yield this.#lastPage(batch, verdict);
      return true;
    }
    return false;
  }

  *#afterPage({ envelope, batch }: Answer<Entry>): Generator<ChainPage<Entry>, boolean> {
    const { count, digest } = batch;
    const { value: next = '', cursor } = envelope.token ?? {};
    const first = this.#state.token === undefined;
    if (!first) {
      // Nothing, or the first page once more, is how some refuse what they do not expect beside a token.
      const isNothing = count === 0 || this.#trail.has(digest);
      if (isNothing && (this.#trial.failed() || this.#lacksCompany())) return false;
      this.#listing.encoding.accepted(this.#state.token ?? '');
      this.#listing.company.accepted();
    }
    this.#resumed = false;
    this.#inventions = 0;
    this.#lastCount = count;
    this.#listing.pageSize.see(count);
    if (first) this.#set({ offsets: cursor === 0 });
    this.firstPage ??= first ? digest : undefined;
    const step = this.#trail.step({ digest, count, cursor, next });
    const before = this.#state.delivered;
    this.#count(step.repeats > 0 ? 0 : count, envelope.token);
    if (this.#pages !== undefined) this.#pages += 1;
    if (first && this.#isIgnored(digest)) {
      yield this.#page(batch, { outcome: { kind: 'ignored' } });
      return true;
    }
    const { offsets = false } = this.#state;
    const situation = this.#situation();
    const verdict = judgePage({ ...situation, ...step, count, before, next, cursor, offsets });
    if (verdict === 'next') {
      const length = { pages: this.#pages ?? 0, count, listSize: this.#announced };
      const pages = this.#pages && this.#options.isLong(length);
      if (pages !== undefined) {
        yield this.#page(batch, { outcome: { kind: 'long', pages } });
        return true;
      }
      const { repeats } = step;
      this.#set({
        token: next,
        lastPage: digest,
        repeats,
        lastCursor: cursor,
        expiresAt: tokenExpiry(envelope, toIso(this.#listing.context.clock.now())),
      });
      // Before anything of this response is waited for: the next one can come in the meantime.
      if (this.#options.asksAhead) this.#requests.sendAhead(this.#state);
      yield this.#page(batch, { after: this.#state });
      return false;
    }
    if (verdict === 'end' || 'doubt' in verdict) {
      const suspicious = verdict === 'end' && this.#isSuspicious(count, first, envelope.token);
      if (suspicious) yield this.#page(batch, { outcome: { kind: 'suspicious', count } });
      else yield this.#lastPage(batch, verdict);
      return true;
    }
    // The list cannot be trusted; the records of this response can.
    yield this.#page(batch, {});
    if (verdict instanceof Error) throw verdict;
    this.#set({ restarted: true });
    this.#restart((verdict as Exclude<PageVerdict, string | Error | DoubtfulEnd>).restart);
    return false;
  }

  /** Sends one request until it is answered well; what it delivers beyond a page's size goes out at once. */
  async *#response(): AsyncGenerator<ChainPage<Entry>, Answer<Entry>> {
    const { endpoint, context, clock } = this.#listing;
    const batch = new PageBatch(this.#listing.read(this.#pass), this.#listing.lists);
    for (let attempt = 0; ; attempt += 1) {
      batch.restart();
      this.#fresh = [];
      if (this.#state.token === undefined) {
        this.#filter.startAgain();
        this.sample.clear();
      }
      try {
        const response = await this.#requests.answer(this.#state);
        const elsewhere = this.#listing.readElsewhere?.(response, this.#pass);
        const list = batch.from(elsewhere ?? new ListResponse(response, this.#pass));
        for await (const records of list) {
          clock.see(list.envelope, response.headers.date, context.clock.now());
          for (const record of records) {
            this.#add(record, batch);
            if (batch.full) yield this.#page(batch, {});
          }
        }
        clock.see(list.envelope, response.headers.date, context.clock.now());
        endpoint.answered();
        this.#handOn();
        this.#repeated ||= response.retried === true;
        return { envelope: list.envelope, batch };
      } catch (error) {
        this.#repeated = true;
        if (error instanceof FilterLost) {
          this.#afterFilterLost(error.what);
          attempt = -1;
        } else if (this.#state.token !== undefined && this.#trial.failedBy(error)) attempt = -1;
        else {
          await endpoint.beforeRetry(attempt, error, this.#signal, this.#options.patience).catch(() => {
            if (this.#state.token === undefined || this.#resumed || !this.#trial.lacksBy(error)) throw error;
            attempt = -1;
          });
        }
      }
    }
  }

  #add(record: CutRecord, batch: PageBatch<Entry>): void {
    if (this.#state.token === undefined) {
      this.#filter.learn(record);
      this.sample.add(record);
    } else if (!this.#filter.keeps(record)) {
      batch.skip(record);
      return;
    }
    this.#fresh.push(record.identifier);
    if (isAtBound(record.datestamp, this.#state.window)) this.atBounds.add(record.identifier);
    batch.add(record);
  }

  #handOn(): void {
    for (const identifier of this.#fresh) this.distinct.add(identifier);
    this.#fresh = [];
  }

  #afterFilterLost(what: 'set' | 'dates'): void {
    if (this.#trial.lost()) return;
    const { strict } = this.#options;
    if (what === 'dates' && strict && this.#state.window.until !== undefined) throw new WindowIgnored();
    this.#filter.settleFor(what);
  }

  /** The first token brings nothing, and more was announced. */
  #lacksCompany(): boolean {
    const { listSize = 0, delivered } = this.#state;
    return delivered < listSize && !this.#resumed && this.#trial.lacks();
  }

  #isIgnored(digest: string): boolean {
    if (!this.#filter.windowIgnored) return false;
    // The same as without dates; or, where nothing compels us to cut, anything from outside of them.
    const { parentPage, strict } = this.#options;
    return digest === parentPage || (strict && this.#state.window.until !== undefined);
  }

  #isSuspicious(count: number, first: boolean, token: ResumptionToken | undefined): boolean {
    // A later page that is full says that it is the last by an empty token, if only by that.
    if (this.#state.listSize !== undefined || (!first && token !== undefined)) return false;
    return mayBeCutOff(count, this.#listing.pageSize.largest, this.#listing.habits.listEnd);
  }

  #hasExpired(): boolean {
    const { token, expiresAt } = this.#state;
    if (token === undefined || expiresAt === undefined || this.#requests.underWay) return false;
    // Where starting again has got no further, the server may know better than its own date.
    return expiresAt <= toIso(this.#listing.context.clock.now()) && this.#mayRestart;
  }

  get #mayRestart(): boolean {
    // Once, then only for getting further than ever: no endless loop.
    return this.#resumed || this.#furthest === undefined || this.#state.delivered > this.#furthest;
  }

  #restart(reason: string): void {
    const { window, narrowed, restarted } = this.#state;
    const message = say('list-started-again', { list: this.#name, why: reason });
    this.#reports.add({ code: 'endpoint-quirk', message });
    this.#state = { ...newChain(window, narrowed), ...(restarted === true ? { restarted } : {}) };
    this.#trail.clear();
    this.#filter.startAgain();
    this.atBounds.clear();
    this.#pages = 0;
    this.#resumed = false;
    this.#uncertain = false;
  }

  #page(
    batch: PageBatch<Entry> | undefined,
    rest: { readonly after?: ChainState; readonly outcome?: ChainOutcome },
  ): ChainPage<Entry> {
    const { entries, problems, whole } = batch?.take() ?? { entries: [], problems: [] };
    if (batch !== undefined) this.#handOn();
    const after = rest.outcome === undefined ? rest.after : this.#state;
    return { ...rest, after, entries, whole, problems: [...this.#reports.take(), ...problems] };
  }

  #lastPage(batch: PageBatch<Entry>, end: 'end' | DoubtfulEnd): ChainPage<Entry> {
    return this.#page(batch, { outcome: end === 'end' ? { kind: 'ended' } : { kind: 'doubtful', end } });
  }

  #count(records: number, token: ResumptionToken | undefined): void {
    const { delivered, listSize } = this.#state;
    this.#announced = token?.completeListSize ?? this.#announced;
    const isOwn = this.#announced !== this.#options.wholeSize && !this.#filter.drops;
    const size = isOwn ? token?.completeListSize : undefined;
    this.#set({ delivered: delivered + records, listSize: size ?? listSize });
  }

  #set(change: Partial<ChainState>): void {
    this.#state = { ...this.#state, ...change };
  }

  get #name(): string {
    return `${passKey(this.#pass)}${describeWindow(this.#state.window, this.#listing.dates.granularity)}`;
  }

  #situation(): Situation {
    const { token, restarted = false, narrowed = false, delivered, listSize, window } = this.#state;
    const { endpoint, mode, offered, dates } = this.#listing;
    return {
      url: endpoint.url,
      mode,
      format: this.#pass.format,
      list: this.#name,
      token,
      dated: Object.keys(dates.arguments(window)).length > 0,
      offered,
      narrowed,
      restarted,
      uncertain: this.#uncertain,
      mayRestart: this.#mayRestart,
      delivered,
      distinct: this.#filter.countWith(this.distinct),
      drops: this.#filter.drops,
      listSize,
      behindPartialPage: this.#listing.pageSize.isPartial(this.#lastCount),
    };
  }
}
