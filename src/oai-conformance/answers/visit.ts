import type { HttpResponse } from '../../core/adapter.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import type { CheckId } from '../checks/check-table.ts';
import type { Profile } from '../checks/profile.ts';
import { judgeForm, judgeHttp } from './answer-form.ts';
import type { EndpointPort } from './endpoint-port.ts';
import { type OaiAnswer, type RawAnswer, readAnswer } from './oai-answer.ts';
import { Verdicts } from './verdicts.ts';

/** Arguments, or a query as it stands in a URL, for requests that are wrong. */
export type Query = string | Readonly<Record<string, string>>;

/** What one visit to an endpoint may take, and what it looks at. */
export interface VisitOptions {
  /** Records to walk through in `ListRecords`, at least so many if there are; infinite: all of them. */
  readonly records: number;
  /** Whose guidelines count, and what they ask for has to be there; undefined: those whose formats are offered. */
  readonly profiles: readonly Profile[] | undefined;
  readonly onProgress?: (requests: number, records: number) => void;
}

/** Attempts at one request, and the pauses between them in milliseconds where the server names none. */
const pauses = [3_000, 10_000];
/** Longer ones nobody waits for at a terminal. */
const longestRest = 600;
/** Requests in a row without a conclusive answer: there is no use in asking on. */
const patience = 4;
/** A visit, unless all records are wanted: many answers that are each just quick enough take days. */
const longestVisitMs = 2 * 3_600_000;
/** Arguments that servers take in an address. A token that is longer comes from nobody who means it. */
const longestQuery = 8_000;

/** One walk through an endpoint: every request goes out here, and what every answer has to keep is judged here. */
export class Visit {
  readonly url: string;
  readonly options: VisitOptions;
  readonly verdicts = new Verdicts();
  readonly port: EndpointPort;
  /** As `Identify` states it. */
  baseUrl: string | undefined;
  requests = 0;
  /** Records that were looked at. */
  records = 0;
  readonly #began: number;
  #inconclusive = 0;
  /** Why nothing is asked any more; undefined: all is well. */
  #stopped: string | undefined;

  /** @param url without arguments of the protocol, see `endpointUrl` */
  constructor(url: string, port: EndpointPort, options: VisitOptions) {
    this.url = url;
    this.port = port;
    this.options = options;
    this.#began = port.now().getTime();
  }

  judge(check: CheckId, answer: Pick<RawAnswer, 'request'>, fault: string | undefined): void {
    this.verdicts.judge(check, answer.request, fault);
  }

  /**
   * Asks, and judges the form of the answer.
   * @param needs the checks that this answer is for: they stay open if it is inconclusive, or none of the protocol
   * @returns undefined where it says nothing
   */
  async ask(query: Query, needs: readonly CheckId[], how: AskOptions = {}): Promise<OaiAnswer | undefined> {
    const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
    const leave = (reason: string) => {
      for (const check of needs) this.verdicts.leaveOpen(check, reason);
      return undefined;
    };
    if (text.length > longestQuery)
      return leave(`its arguments have ${text.length} characters, and were not sent (${text.slice(0, 60)}…)`);
    const isLong = this.port.now().getTime() - this.#began > longestVisitMs;
    if (isLong && Number.isFinite(this.options.records))
      this.#stopped ??= 'the visit took more than two hours, and it was asked no more';
    if (this.#stopped !== undefined) return leave(this.#stopped);
    const outcome = await this.#fetch(text, how);
    this.options.onProgress?.(this.requests, this.records);
    if (typeof outcome === 'string') {
      this.#inconclusive += 1;
      if (this.#inconclusive >= patience) this.#stopped = `it was asked no more, because ${outcome}`;
      return leave(outcome);
    }
    this.#inconclusive = 0;
    const judge = (check: CheckId, fault: string | undefined) => this.judge(check, outcome, fault);
    judgeHttp(outcome, judge);
    const answer = readAnswer(outcome);
    if ('fault' in answer) {
      // An HTML page with status 404 is judged by its status alone.
      if (outcome.status === 200 && answer.fails !== undefined) judge(answer.fails, answer.fault);
      if (outcome.status !== 200 && how.method === 'POST') {
        for (const check of needs) judge(check, `POST is answered with status ${outcome.status}`);
        return undefined;
      }
      const what = answer.fails === undefined ? 'was not read to its end' : 'is none of OAI-PMH';
      return leave(`the answer to ${shortened(outcome.request)} ${what}: ${answer.fault}`);
    }
    judgeForm(answer, this.baseUrl, judge);
    return answer;
  }

  /** @returns the response; or in words, why there is none that says anything */
  async #fetch(text: string, how: AskOptions): Promise<RawAnswer | string> {
    for (let attempt = 0; ; attempt += 1) {
      const pause = pauses[attempt];
      this.requests += 1;
      try {
        const response = await this.#send(text, how);
        const { status } = response;
        if (status === 401 || status === 403) {
          await response.discard();
          return `it refuses us with status ${status}`;
        }
        if (isPassing(status)) {
          await response.discard();
          const rest = this.#judgeRest(response);
          if (rest > longestRest) {
            this.#stopped = `it asked to wait ${rest} seconds, and was asked no more`;
            return this.#stopped;
          }
          if (pause === undefined) return `it answered with status ${status} ${attempt + 1} times`;
          // What it asked for is waited by the way out.
          if (rest <= 0) await this.port.sleep(pause);
          continue;
        }
        const raw = await this.#read(text, response, how);
        // A server that broke once may have had a bad moment: what it does again it does.
        if (status >= 500 && attempt === 0) {
          await this.port.sleep(pauses[0] ?? 0);
          continue;
        }
        return raw;
      } catch (error) {
        if (!isBridgeError(error) || error.code === 'interrupted') throw error;
        if (error.code === 'response-too-large' || error.code === 'address-refused' || pause === undefined)
          return describeError(error);
        await this.port.sleep(pause);
      }
    }
  }

  #send(text: string, { method = 'GET', headers }: AskOptions): Promise<HttpResponse> {
    return method === 'POST'
      ? this.port.post(this.url, text)
      : this.port.get(withQuery(this.url, text), headers);
  }

  async #read(text: string, response: HttpResponse, { method = 'GET' }: AskOptions): Promise<RawAnswer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const { status, url, headers } = response;
    return {
      request: method === 'POST' ? `${this.url} (POST ${text})` : withQuery(this.url, text),
      asked: this.url.split('?')[0] ?? '',
      arguments: new URLSearchParams(text),
      ...{ status, url, headers, bytes: Buffer.concat(chunks) },
    };
  }

  /** @returns the seconds that it asks for */
  #judgeRest({ status, headers, url }: HttpResponse): number {
    const value = headers['retry-after']?.trim();
    if (status === 503 && value !== undefined) {
      const isGood = /^\d+$/.test(value) && Number(value) <= 3600;
      this.verdicts.judge('http-retry-after', url, isGood ? undefined : `Retry-After is ${value}`);
    }
    if (value === undefined) return 0;
    if (/^\d+$/.test(value)) return Number(value);
    const until = Date.parse(value);
    return Number.isNaN(until) ? 0 : Math.ceil((until - this.port.now().getTime()) / 1000);
  }
}

export interface AskOptions {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
}

/** Pages that a walk may take: those of few records are many requests, and those of none would be so for ever. */
export function mostPages({ records }: VisitOptions): number {
  return Math.max(50, Math.ceil(records / 10));
}

/** Statuses that say nothing of the endpoint: it is busy, or what stands before it broke. */
function isPassing(status: number): boolean {
  return [408, 425, 429, 502, 503, 504].includes(status);
}

/** The address without arguments of the protocol, which people copy along. */
export function endpointUrl(given: URL): string {
  const url = new URL(given);
  url.hash = '';
  for (const name of ['verb', 'metadataPrefix', 'identifier', 'from', 'until', 'set', 'resumptionToken'])
    url.searchParams.delete(name);
  const [path = '', query = ''] = url.href.split('?');
  return query === '' ? path : `${path}?${query}`;
}

function withQuery(url: string, text: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${text}`;
}

function shortened(request: string): string {
  const query = request.slice(Math.max(0, request.indexOf('?')));
  return query.length > 120 ? `${query.slice(0, 120)}…` : query;
}
