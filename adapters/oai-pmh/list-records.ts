import { createHash } from 'node:crypto';
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
import { judgeErrors, judgePage, type Situation } from './list-verdict.ts';
import { describeErrors } from './oai-errors.ts';
import { PageBatch } from './page-batch.ts';
import type { Envelope } from './record-parser.ts';
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

/** One run of ListRecords: pass after pass, each to its end or into an error. */
export class ListRecords {
  readonly #endpoint: Endpoint;
  readonly #context: AdapterContext;
  readonly #plan: ListRecordsPlan;
  readonly #signal: AbortSignal;
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
    const current = this.#begin(pass);
    const seen = new Set<string>();
    let emptyPages = 0;
    // After a crash nobody knows whether the request had been answered already.
    let uncertain = current.token !== undefined;
    for (;;) {
      const { envelope, batch, retried } = yield* this.#response(pass, current.token);
      uncertain ||= retried && current.token !== undefined;
      const restart = (reason: string) => {
        this.#quirk(`The list of ${passKey(pass)} was started again: ${reason}.`);
        Object.assign(current, { delivered: 0, restarted: true });
        delete current.token;
        delete current.listSize;
        seen.clear();
        uncertain = false;
      };
      current.delivered += batch.count;
      current.listSize = envelope.token?.completeListSize ?? current.listSize;
      if (current.listSize === undefined) delete current.listSize;
      const situation = this.#situation(pass, current);
      if (envelope.errors.length > 0) {
        const verdict = judgeErrors(envelope.errors, situation);
        if (verdict instanceof Error) throw verdict;
        if (verdict === 'raw-token') this.#rawToken = true;
        else if (verdict === 'restart') restart(describeErrors(envelope.errors));
        else if (verdict === 'other-from') this.#tryOtherFrom(describeErrors(envelope.errors));
        else {
          if (verdict === 'empty-format') {
            this.#quirk(`${pass.format} is offered, but no record has it.`, 'list-doubtful');
          }
          yield this.#lastPage(pass, current, batch);
          return;
        }
        continue;
      }
      this.#tokenAccepted ||= current.token !== undefined;
      const next = envelope.token?.value ?? '';
      const digest = createHash('sha1').update(next).digest('base64');
      if (current.token === undefined) current.offsets = envelope.token?.cursor === 0;
      emptyPages = batch.count === 0 ? emptyPages + 1 : 0;
      const verdict = judgePage({
        ...situation,
        count: batch.count,
        emptyPages,
        next,
        nextSeen: seen.has(digest),
        cursor: envelope.token?.cursor,
        offsets: current.offsets === true,
        uncertain,
      });
      if (verdict instanceof Error) {
        // The list cannot be trusted; its records can.
        yield this.#page(batch, false);
        throw verdict;
      }
      if (verdict === 'restart') {
        // What this response delivered is good all the same.
        yield this.#page(batch, false);
        restart('records were missing');
      } else if (verdict === 'end') {
        yield this.#lastPage(pass, current, batch);
        return;
      } else {
        seen.add(digest);
        current.token = next;
        yield this.#page(batch, true);
      }
    }
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

  #begin(pass: Pass): CurrentPass {
    const key = passKey(pass);
    const current = this.#progress.current?.key === key ? this.#progress.current : undefined;
    const begun = current ?? { key, delivered: 0, restarted: false };
    this.#progress.current = begun;
    return begun;
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
    this.#quirk(
      `from=${refused} was refused (${reason}); ${from === undefined ? 'everything is listed' : `from=${from} is used`}.`,
    );
  }

  #quirk(message: string, code: Problem['code'] = 'endpoint-quirk'): void {
    this.#context.log.warn({ url: this.#endpoint.url, reason: message }, 'endpoint quirk');
    this.#problems.push({ code, message });
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

  #lastPage(pass: Pass, current: CurrentPass, batch: PageBatch): Page {
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

  #situation(pass: Pass, { token, restarted, delivered, listSize }: CurrentPass): Situation {
    const { from } = this.#progress;
    return {
      url: this.#endpoint.url,
      format: pass.format,
      token,
      from,
      otherFrom: this.#fromForm + 1 < this.#plan.fromForms.length,
      offered: this.#plan.declared.map(({ name }) => name),
      tokenAccepted: this.#tokenAccepted,
      rawToken: this.#rawToken,
      restarted,
      delivered,
      listSize,
    };
  }
}
