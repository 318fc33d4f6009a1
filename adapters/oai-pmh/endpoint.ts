import type { AdapterContext, HttpResponse } from '../../src/core/adapter.ts';
import { describeError, isBridgeError } from '../../src/core/errors.ts';
import { type RequestArguments, type RequestOptions, requestUrl, type Verb } from './request.ts';
import { readSmallDocument, type SmallDocument } from './small-document.ts';

const delays = [2_000, 10_000];

/** One repository's address, and how patiently it is asked. */
export class Endpoint {
  readonly url: string;
  readonly #context: AdapterContext;

  constructor(url: string, context: AdapterContext) {
    this.url = url;
    this.#context = context;
  }

  request(
    verb: Verb,
    given: RequestArguments,
    signal: AbortSignal,
    options: RequestOptions = {},
  ): Promise<HttpResponse> {
    const headers = { accept: 'text/xml, application/xml;q=0.9, */*;q=0.1' };
    return this.#context.http.get(requestUrl(this.url, verb, given, options), { signal, headers });
  }

  async readSmall(verb: Verb, given: RequestArguments, signal: AbortSignal): Promise<SmallDocument> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await readSmallDocument(await this.request(verb, given, signal));
      } catch (error) {
        await this.beforeRetry(attempt, error, signal);
      }
    }
  }

  /** Waits before the next attempt. @throws the error itself where another attempt is no use */
  async beforeRetry(attempt: number, error: unknown, signal: AbortSignal): Promise<void> {
    const delay = delays[attempt];
    if (delay === undefined || signal.aborted || !mayPass(error)) throw error;
    this.#context.log.warn(
      { url: this.url, attempt: attempt + 1, reason: describeError(error) },
      'request failed, trying again',
    );
    await this.#context.clock.sleep(delay, signal);
  }
}

/** Broken responses; connections and busy servers are the HTTP port's business. */
function mayPass(error: unknown): boolean {
  return (
    isBridgeError(error) &&
    error.retryable &&
    ['upstream-cut-off', 'upstream-html', 'upstream-not-xml', 'upstream-status'].includes(error.code)
  );
}
