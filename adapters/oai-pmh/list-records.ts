import type { AdapterContext, Page, PageRequest, Problem } from '../../src/core/adapter.ts';
import { parseDatestamp, parseHttpDate, toIso } from '../../src/core/datetime.ts';
import {
  type CurrentPass,
  fromCheckpoint,
  type Pass,
  type Progress,
  passKey,
  toCheckpoint,
} from './checkpoint.ts';
import type { Endpoint } from './endpoint.ts';
import type { DeclaredFormat } from './formats.ts';
import { ListResponse } from './list-response.ts';
import { type DoubtfulEnd, judgeErrors, judgePage, type Situation } from './list-verdict.ts';
import { describeErrors } from './oai-errors.ts';
import { PageBatch } from './page-batch.ts';
import { PageTrail } from './page-trail.ts';
import type { Envelope, ResumptionToken } from './record-parser.ts';
import type { RequestArguments } from './request.ts';

export interface ListRecordsPlan {
  readonly passes: readonly Pass[];
  /** `from` as the repository should understand it, then what to try if it refuses (quirks 42, 46). */
  readonly fromForms: readonly (string | undefined)[];
  readonly declared: readonly DeclaredFormat[];
}

interface Answer {
  readonly envelope: Envelope;
  readonly batch: PageBatch;
  /** An attempt before this one failed somewhere. */
  readonly retried: boolean;
}

/** A pass while it is walked. */
interface Walk {
  readonly pass: Pass;
  current: CurrentPass;
  readonly trail: PageTrail;
  /** The token comes from a checkpoint, and no answer to it has been good yet. */
  resumed: boolean;
  /** Some token request had been sent before. */
  uncertain: boolean;
  /** Records delivered when this process last saw a token refused. */
  furthest: number | undefined;
}

/** One run of ListRecords: pass after pass, each to its end or into an error. */
export class ListRecords {
  readonly #endpoint: Endpoint;
  readonly #context: AdapterContext;
  readonly #plan: ListRecordsPlan;
  readonly #signal: AbortSignal;
  readonly #mode: PageRequest['mode'];
  readonly #progress: Progress;
  #fromForm = 0;
  #problems: Problem[] = [];
  #tokenAccepted = false;
  #rawToken = false;

  constructor(
    endpoint: Endpoint,
    context: AdapterContext,
    plan: ListRecordsPlan,
    request: PageRequest,
    signal: AbortSignal,
  ) {
    this.#endpoint = endpoint;
    this.#context = context;
    this.#plan = plan;
    this.#signal = signal;
    this.#mode = request.mode;
    const [from] = plan.fromForms;
    const begun: Progress = { done: [], counted: 0, ...(from === undefined ? {} : { from }) };
    this.#progress = fromCheckpoint(request.checkpoint) ?? begun;
    this.#fromForm = Math.max(0, plan.fromForms.indexOf(this.#progress.from));
  }

  async *pages(): AsyncGenerator<Page> {
    for (const pass of this.#plan.passes) {
      if (!this.#progress.done.includes(passKey(pass))) yield* this.#pass(pass);
    }
  }

  async *#pass(pass: Pass): AsyncGenerator<Page> {
    const walk = this.#begin(pass);
    for (let ended = false; !ended; ) {
      const answer = yield* this.#response(pass, walk.current.token);
      walk.uncertain ||= answer.retried && walk.current.token !== undefined;
      const failed = answer.envelope.errors.length > 0;
      ended = yield* failed ? this.#afterErrors(walk, answer) : this.#afterPage(walk, answer);
    }
  }

  /** @returns whether the pass is over */
  *#afterErrors(walk: Walk, { envelope, batch }: Answer): Generator<Page, boolean> {
    const { errors, token } = envelope;
    countIn(walk.current, batch.count, token);
    const verdict = judgeErrors(errors, this.#situation(walk));
    if (verdict instanceof Error) throw verdict;
    if (verdict === 'raw-token') this.#rawToken = true;
    else if (verdict === 'other-from') this.#tryOtherFrom(describeErrors(errors));
    else if (verdict !== 'end' && 'restart' in verdict) this.#restartRefused(walk, verdict.restart);
    else {
      yield this.#lastPage(walk, batch, verdict);
      return true;
    }
    return false;
  }

  /** @returns whether the pass is over */
  *#afterPage(walk: Walk, { envelope, batch }: Answer): Generator<Page, boolean> {
    const { current } = walk;
    const { count, digest } = batch;
    const { value: next = '', cursor } = envelope.token ?? {};
    this.#tokenAccepted ||= current.token !== undefined;
    walk.resumed = false;
    if (current.token === undefined) current.offsets = cursor === 0;
    const step = walk.trail.step({ digest, count, cursor, next });
    const before = current.delivered;
    countIn(current, step.repeats > 0 ? 0 : count, envelope.token);
    const { offsets = false } = current;
    const { uncertain } = walk;
    const situation = this.#situation(walk);
    const verdict = judgePage({ ...situation, ...step, count, before, next, cursor, offsets, uncertain });
    if (verdict === 'next') {
      current.token = next;
      Object.assign(current, { lastPage: digest, repeats: step.repeats, lastCursor: cursor });
      yield this.#page(batch, true);
      return false;
    }
    if (verdict === 'end' || 'doubt' in verdict) {
      yield this.#lastPage(walk, batch, verdict);
      return true;
    }
    // The list cannot be trusted; the records of this response can.
    yield this.#page(batch, false);
    if (verdict instanceof Error) throw verdict;
    current.restarted = true;
    this.#restart(walk, verdict.restart);
    return false;
  }

  /** Sends one request until it is answered well; what it delivers beyond a page's size goes out at once. */
  async *#response(pass: Pass, token: string | undefined): AsyncGenerator<Page, Answer> {
    const { declared } = this.#plan;
    const batch = new PageBatch({ url: this.#endpoint.url, format: pass.format, declared });
    for (let attempt = 0; ; attempt += 1) {
      batch.restart();
      try {
        const response = await this.#endpoint.request(
          'ListRecords',
          this.#arguments(pass, token),
          this.#signal,
          {
            rawToken: this.#rawToken,
          },
        );
        const list = new ListResponse(response);
        for await (const records of list) {
          this.#setAsOf(list.envelope, response.headers.date);
          for (const record of records) {
            batch.add(record);
            if (batch.full) yield this.#page(batch, false);
          }
        }
        this.#setAsOf(list.envelope, response.headers.date);
        return { envelope: list.envelope, batch, retried: attempt > 0 };
      } catch (error) {
        await this.#endpoint.beforeRetry(attempt, error, this.#signal);
      }
    }
  }

  #arguments(pass: Pass, token: string | undefined): RequestArguments {
    // The token is exclusive.
    if (token !== undefined) return { resumptionToken: token };
    return { metadataPrefix: pass.format, set: pass.collection, from: this.#progress.from };
  }

  #begin(pass: Pass): Walk {
    const key = passKey(pass);
    const known = this.#progress.current?.key === key ? this.#progress.current : undefined;
    const current: CurrentPass = known ?? { key, delivered: 0, restarted: false };
    this.#progress.current = current;
    const resumed = current.token !== undefined;
    // After a crash nobody knows whether the request had been answered already.
    return { pass, current, trail: new PageTrail(current), resumed, uncertain: resumed, furthest: undefined };
  }

  #restartRefused(walk: Walk, reason: string): void {
    // A token that grew old between two processes tells nothing about how far one of them gets.
    if (!walk.resumed) walk.furthest = walk.current.delivered;
    // Sending it raw was no help.
    if (!this.#tokenAccepted) this.#rawToken = false;
    this.#restart(walk, reason);
  }

  #restart(walk: Walk, reason: string): void {
    const { key, restarted } = walk.current;
    this.#report({ code: 'endpoint-quirk', message: `The list of ${key} was started again: ${reason}.` });
    this.#progress.current = { key, delivered: 0, restarted };
    walk.current = this.#progress.current;
    walk.trail.clear();
    walk.resumed = false;
    walk.uncertain = false;
  }

  /** The clock of the run's first answer, not of its last: what changes meanwhile belongs to the next run. */
  #setAsOf(envelope: Envelope, date: string | undefined): void {
    this.#progress.asOf ??=
      parseDatestamp(envelope.responseDate ?? '') ??
      parseHttpDate(date ?? '') ??
      toIso(this.#context.clock.now());
  }

  #tryOtherFrom(reason: string): void {
    this.#fromForm += 1;
    const refused = this.#progress.from;
    const from = this.#plan.fromForms[this.#fromForm];
    delete this.#progress.from;
    if (from !== undefined) this.#progress.from = from;
    const instead = from === undefined ? 'everything is listed' : `from=${from} is used`;
    this.#report({
      code: 'endpoint-quirk',
      message: `from=${refused} was refused (${reason}); ${instead}.`,
    });
  }

  #report(problem: Problem): void {
    const { code, message: reason } = problem;
    this.#context.log.warn({ url: this.#endpoint.url, code, reason }, 'endpoint quirk');
    this.#problems.push(problem);
  }

  #page(batch: PageBatch, complete: boolean): Page {
    const { items, problems } = batch.take();
    const own = this.#problems;
    this.#problems = [];
    const { asOf } = this.#progress;
    const expectedTotal = this.#expectedTotal();
    return {
      items,
      checkpoint: complete ? toCheckpoint(this.#progress) : undefined,
      problems: own.length === 0 ? problems : [...own, ...problems],
      ...(asOf === undefined ? {} : { asOf }),
      ...(expectedTotal === undefined ? {} : { expectedTotal }),
    };
  }

  #lastPage({ pass, current }: Walk, batch: PageBatch, end: 'end' | DoubtfulEnd): Page {
    if (end !== 'end') {
      this.#report({ code: 'list-doubtful', format: pass.format, message: `${end.doubt}.` });
    }
    this.#progress.done.push(passKey(pass));
    this.#progress.counted += current.delivered;
    delete this.#progress.current;
    return this.#page(batch, true);
  }

  /** As if every format had as many records as the one that is being read. */
  #expectedTotal(): number | undefined {
    const { counted, done, current } = this.#progress;
    const left = this.#plan.passes.filter((pass) => !done.includes(passKey(pass))).length;
    if (current === undefined) {
      return done.length === 0 ? undefined : counted + Math.round((counted / done.length) * left);
    }
    return current.listSize === undefined ? undefined : counted + current.listSize * left;
  }

  #situation({ pass, current, resumed, furthest }: Walk): Situation {
    const { token, restarted, delivered, listSize } = current;
    return {
      url: this.#endpoint.url,
      mode: this.#mode,
      format: pass.format,
      list: current.key,
      token,
      from: this.#progress.from,
      otherFrom: this.#fromForm + 1 < this.#plan.fromForms.length,
      offered: this.#plan.declared.map(({ name }) => name),
      tokenAccepted: this.#tokenAccepted,
      rawToken: this.#rawToken,
      restarted,
      // Once, then only for getting further than ever: no endless loop.
      mayRestart: resumed || furthest === undefined || delivered > furthest,
      delivered,
      listSize,
    };
  }
}

function countIn(current: CurrentPass, records: number, token: ResumptionToken | undefined): void {
  current.delivered += records;
  if (token?.completeListSize !== undefined) current.listSize = token.completeListSize;
}
