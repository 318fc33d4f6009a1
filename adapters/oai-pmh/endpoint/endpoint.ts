import type { AdapterContext, HttpResponse } from '../../../src/core/adapter.ts';
import { type ErrorCode, failure, isBridgeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { readSmallDocument, type SmallDocument } from '../wire/small-document.ts';
import { isExhausted, remedyFor } from '../wire/trouble.ts';
import { type RequestArguments, type RequestOptions, requestForm, requestUrl, type Verb } from './request.ts';

const delays = [2_000, 10_000];
const fullPatience = delays.length + 1;
/** Where nothing has gone well for so long, nothing is asked twice. */
const brokenMs = 30_000;
/** After a failure, nothing was asked for so long: what fails now is another matter. */
const pauseMs = 60_000;
/** Longer addresses are refused here and there, and tokens of many kilobytes exist. */
const maximumUrl = 2_000;
const postKey = 'post';
const codingKey = 'content-coding';

/** One repository's address, and how patiently it is asked. */
export class Endpoint {
  readonly url: string;
  readonly #context: AdapterContext;
  /** Since when nothing has gone well, and when that was last seen, in milliseconds. */
  #trouble: { readonly since: number; readonly last: number } | undefined;

  constructor(url: string, context: AdapterContext) {
    this.url = url;
    this.#context = context;
  }

  async request(
    verb: Verb,
    given: RequestArguments,
    signal: AbortSignal,
    options: RequestOptions = {},
  ): Promise<HttpResponse> {
    const headers = { accept: 'text/xml, application/xml;q=0.9, */*;q=0.1' };
    const { http, lessons } = this.#context;
    const how = { signal, headers, ...(this.#asksForIdentity ? { decode: 'never' as const } : {}) };
    const url = requestUrl(this.url, verb, given, options);
    // By GET as long as it fits: POST is refused, or lost in a redirect, more often (quirk 33).
    if (url.length > maximumUrl && lessons.get(postKey) !== 'refused') {
      const { url: target, form } = requestForm(this.url, verb, given);
      const response = await http.post(target, form, how);
      if (![400, 403, 404, 405, 501].includes(response.status)) return response;
      await response.discard();
      lessons.learn(postKey, 'refused', say('post-refused', { status: response.status }));
    }
    return http.get(url, how);
  }

  async readSmall(verb: Verb, given: RequestArguments, signal: AbortSignal): Promise<SmallDocument> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const document = await readSmallDocument(await this.request(verb, given, signal));
        this.answered();
        return document;
      } catch (error) {
        await this.beforeRetry(attempt, error, signal);
      }
    }
  }

  /** Something was read to its end. */
  answered(): void {
    this.#trouble = undefined;
  }

  /**
   * Waits before the next attempt.
   * @param patience how many attempts there may be
   * @throws the error itself where another attempt is no use
   */
  async beforeRetry(
    attempt: number,
    error: unknown,
    signal: AbortSignal,
    patience = fullPatience,
  ): Promise<void> {
    if (isBrokenCoding(error) && !this.#asksForIdentity) {
      const sentence = say('gzip-broken', {});
      this.#context.lessons.learn(codingKey, 'identity', sentence);
      return;
    }
    // What would end the run is worth asking again, however small the list.
    const allowed = remedyFor(error) === 'stop' ? fullPatience : patience;
    const delay = attempt + 1 < allowed ? delays[attempt] : undefined;
    if (delay === undefined || signal.aborted || !mayPass(error)) throw error;
    if (this.#brokenFor() + delay > brokenMs) throw error;
    this.#context.log.warn(
      { url: this.url, attempt: attempt + 1, ...failure(error) },
      'request failed, trying again',
    );
    await this.#context.clock.sleep(delay, signal);
  }

  /** Milliseconds since the first of the failures, of which this is one. */
  #brokenFor(): number {
    const now = this.#context.clock.now().getTime();
    const { since, last } = this.#trouble ?? { since: now, last: now };
    this.#trouble = { since: now - last > pauseMs ? now : since, last: now };
    return now - this.#trouble.since;
  }

  get #asksForIdentity(): boolean {
    return this.#context.lessons.get(codingKey) === 'identity';
  }
}

/** Not the connection, but what came over it (quirk 35). */
function isBrokenCoding(error: unknown): boolean {
  return isBridgeError(error, 'upstream-cut-off') && error.message.includes('gzip coding');
}

const passing: readonly ErrorCode[] = [
  'upstream-cut-off',
  'upstream-html',
  'upstream-not-xml',
  'upstream-status',
  // It may have been another response that the same thread was reading.
  'out-of-memory',
];

/** Broken responses; connections and busy servers are the HTTP port's business. */
function mayPass(error: unknown): boolean {
  return (
    isBridgeError(error) &&
    error.retryable &&
    // That one wants more than a few seconds, and another remedy.
    !isExhausted(error.message) &&
    passing.includes(error.code)
  );
}
