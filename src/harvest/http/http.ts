import { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import type { Clock, Http, HttpOptions, HttpResponse, Log } from '../../core/adapter.ts';
import { type AllowedPlace, parseAllowedPlace } from '../../core/config/network-allow.ts';
import { BridgeError, type ErrorCode, failure } from '../../core/errors.ts';
import { createAddressGuard, type Resolve } from './address-guard.ts';
import { BrokenHosts } from './broken-hosts.ts';
import { type BulkResponse, bulkRequest } from './bulk-request.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { createGuardedAgent, createGuardedConnect, RestingAgent } from './guarded-agent.ts';
import type { HostGate } from './host-gate.ts';
import { type Patience, retryAfter, waitBefore } from './patience.ts';
import { type Exchange, isForGood, redirected, refuseCredentials } from './redirect.ts';
import { decodedBody, type SlowestRate } from './response-body.ts';
import { WholeGets, type WholeOptions } from './whole/whole-gets.ts';

export interface HttpSettings {
  /** The configured endpoint: its host is trusted, and gets the configured headers. */
  readonly endpoint: string;
  /** False: its address has to be public, or allowed; default true. */
  readonly trusted?: boolean | undefined;
  /**
   * `endpoint`, the default: for talking to it, wherever it redirects to. `found`: for URLs found in records,
   * which get no configured headers, and of the endpoint's host only its own port, 80 and 443.
   */
  readonly scope?: 'endpoint' | 'found';
  /** `network.allow`: addresses that need not be public. */
  readonly allow?: readonly string[];
  readonly userAgent: string;
  readonly contact?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly requestsPerHost: number;
  readonly timeoutSeconds: number;
  readonly maxResponseBytes: number;
  readonly allowPrivateAddresses: boolean;
  /** True, and the endpoint is on loopback: so may be what it leads to. */
  readonly allowLoopbackFromLoopback?: boolean;
  /** A body that comes more slowly is left; undefined: only one that stops coming is. */
  readonly slowestRate?: SlowestRate | undefined;
  readonly patience?: Patience;
  /** Instead of the system's resolver. */
  readonly resolve?: Resolve;
}

export interface HttpClient extends Http {
  /** For many small bodies of the endpoint's own origin; of one caller, who closes it. */
  whole(options: WholeOptions): WholeGets;
  /** Whether a connection there would be let through, now; false, too, where nobody knows the name. */
  mayReach(host: string, port: number): Promise<boolean>;
  close(): Promise<void>;
}

const maxRedirects = 5;

/** The one way out: polite, safe, decoded. See `Http` for what its callers can rely on. */
export function createHttp(
  settings: HttpSettings,
  deps: { gate: HostGate; clock: Clock; log: Log; answered?: (status: number | undefined) => void },
): HttpClient {
  const endpoint = new URL(settings.endpoint);
  const { scope = 'endpoint', requestsPerHost } = settings;
  const guard = createAddressGuard({
    endpoint,
    trusted: settings.trusted,
    scope,
    allow: parsePlaces(settings.allow ?? []),
    allowPrivate: settings.allowPrivateAddresses,
    loopback: settings.allowLoopbackFromLoopback === true,
    resolve: settings.resolve,
  });
  // In one case of letters: a configured User-Agent replaces ours.
  const configured = flatten(settings.headers ?? {});
  const limits = { connections: requestsPerHost, timeoutSeconds: settings.timeoutSeconds };
  const small = new RestingAgent(() => createGuardedAgent(guard, limits));
  const bulk = new RestingAgent(() => createGuardedAgent(guard, { ...limits, largeReads: true }));
  const broken = new BrokenHosts();
  const always = {
    'user-agent': settings.userAgent,
    ...(settings.contact === undefined ? {} : { from: settings.contact }),
  };

  /** Who wants what is small in one piece has no use for large reads. */
  function agentOf(how: NonNullable<HttpOptions['bulk']>): Dispatcher {
    return (wholeOf(how) > 0 ? small : bulk).agent;
  }

  function check(url: URL): void {
    guard.check(url);
    if (scope === 'found') refuseCredentials(url);
  }

  function headersFor({ url, form }: Exchange, first: URL, options: HttpOptions): Record<string, string> {
    return {
      ...always,
      'accept-encoding': options.decode === 'never' ? 'identity' : 'gzip',
      ...options.headers,
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      // Credentials never leave the host, port and scheme they were configured for.
      ...(scope === 'endpoint' && url.origin === endpoint.origin ? configured : {}),
      ...(url.origin === first.origin ? flatten(options.credentials ?? {}) : {}),
    };
  }

  /**
   * One request, redirects followed; holds a place at the host until the body has been read.
   * @param asked is told where each redirect leads
   */
  async function attempt(
    start: Exchange,
    options: HttpOptions,
    deadline: Deadline,
    asked: (url: URL) => void,
  ): Promise<HttpResponse> {
    let exchange = start;
    let moved = false;
    check(start.url);
    for (let redirects = 0; ; redirects += 1) {
      const { method, url, form } = exchange;
      deadline.pause();
      const leave = await enter(url.host, deadline.signal);
      let next: Exchange | undefined;
      try {
        deadline.run();
        const headers = headersFor(exchange, start.url, options);
        const { signal } = deadline;
        const response =
          options.bulk && method === 'GET'
            ? await bulkRequest(agentOf(options.bulk), url, headers, signal, wholeOf(options.bulk))
            : await request(url, {
                dispatcher: small.agent,
                method,
                headers,
                ...(form === undefined ? {} : { body: form }),
                signal,
              });
        next =
          options.redirects === 'reported'
            ? undefined
            : redirected(exchange, response.statusCode, response.headers.location, scope === 'endpoint');
        if (next === undefined) {
          const answer = await toResponse(response, exchange, leave, options, deadline);
          return moved ? { ...answer, movedTo: url.href } : answer;
        }
        moved = (redirects === 0 || moved) && isForGood(response.statusCode);
        if (!Buffer.isBuffer(response.body))
          await response.body.dump({ limit: 65_536, signal }).catch(() => undefined);
      } catch (error) {
        leave();
        throw error;
      }
      leave();
      if (redirects === maxRedirects) {
        throw new BridgeError(
          'too-many-redirects',
          `${start.url.href} redirects more than ${maxRedirects} times`,
        );
      }
      check(next.url);
      deps.log.debug({ from: url.href, to: next.url.href }, 'redirected');
      exchange = next;
      asked(next.url);
    }
  }

  /**
   * A place at a host that does not rest: nobody keeps one while it does. While one waits, another may have been told
   * to wait longer.
   */
  async function enter(host: string, signal: AbortSignal): Promise<() => void> {
    for (let until = 0; ; ) {
      const leave = await deps.gate.enter(host, requestsPerHost, signal);
      const now = deps.clock.now().getTime();
      const left = deps.gate.restOf(host, now);
      if (left <= 0 || now + left <= until) return leave;
      leave();
      until = now + left;
      await deps.clock.sleep(left, signal);
    }
  }

  async function toResponse(
    response: Dispatcher.ResponseData | BulkResponse,
    { method, url }: Exchange,
    leave: () => void,
    { decode = 'sniffed', maxBytes = settings.maxResponseBytes }: HttpOptions,
    deadline: Deadline,
  ): Promise<HttpResponse> {
    deadline.answered();
    const { body } = response;
    const headers = flatten(response.headers);
    const answer = { status: response.statusCode, url: url.href, headers };
    const end = () => {
      leave();
      deadline.end();
    };
    const gzipIsDeclared = /\bgzip\b/i.test(headers['content-encoding'] ?? '');
    const mayBeGzip = decode === 'sniffed' || (decode === 'declared' && gzipIsDeclared);
    const limits = { maxBytes, mayBeGzip, slowestRate: settings.slowestRate };
    if (Buffer.isBuffer(body)) {
      end();
      const isPlain = !mayBeGzip && body.length <= maxBytes;
      const all = isPlain ? once(body) : decodedBody(Readable.from([body]), url.href, limits);
      return { ...answer, body: all, discard: async () => undefined };
    }
    if (method === 'HEAD') {
      await body.dump();
      end();
      return { ...answer, body: nothing(), discard: async () => undefined };
    }
    body.once('close', end);
    return {
      ...answer,
      body: decodedBody(body, url.href, limits),
      discard: async () => {
        body.on('error', () => undefined);
        body.destroy();
        end();
      },
    };
  }

  /** @returns for how long the host has answered nothing well */
  function judge(
    host: string,
    outcome: Pick<HttpResponse, 'status'> | { error: unknown },
    started: Date,
    now: Date,
  ): number {
    if ('error' in outcome || outcome.status === 429 || outcome.status >= 500)
      return broken.failed(host, started.getTime(), now.getTime());
    broken.answered(host, now.getTime());
    return 0;
  }

  /** Whoever was told counts for all of us, also one that does not ask again. */
  function restAsAsked(
    host: string,
    { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
    now: Date,
  ): void {
    const milliseconds =
      status === 429 || status === 503 ? retryAfter(headers['retry-after'], now) : undefined;
    if (milliseconds !== undefined)
      deps.gate.rest(host, now.getTime() + milliseconds, `${status} from server, as asked`);
  }

  function whole(options: WholeOptions): WholeGets {
    const { host } = endpoint;
    const now = () => deps.clock.now().getTime();
    const longestMs = (settings.slowestRate?.graceSeconds ?? settings.timeoutSeconds) * 1000;
    return new WholeGets(
      {
        origin: endpoint,
        now,
        enter: () => deps.gate.enter(host, requestsPerHost, options.signal),
        places: requestsPerHost,
        isResting: () => deps.gate.restOf(host, now()) > 0,
        connect: createGuardedConnect(guard, endpoint),
        headers: { ...always, ...(scope === 'endpoint' ? configured : {}) },
        timeoutMs: settings.timeoutSeconds * 1000,
        longestMs,
        answered: (answer) => {
          deps.answered?.(answer.status);
          const at = deps.clock.now();
          judge(host, answer, at, at);
          restAsAsked(host, answer, at);
        },
      },
      options,
    );
  }

  async function exchange(what: Exchange, options: HttpOptions): Promise<HttpResponse> {
    const { url } = what;
    const { patient = true } = options;
    const deadline = createDeadline(options.deadline, url.host, options.signal);
    let retried = false;
    try {
      for (let failures = 1; ; failures += 1) {
        let last = url;
        const started = deps.clock.now();
        const outcome = await attempt(what, options, deadline, (asked) => {
          last = asked;
        }).catch((error: unknown) => ({ error }));
        deadline.signal.throwIfAborted();
        deps.answered?.('error' in outcome ? undefined : outcome.status);
        const now = deps.clock.now();
        if (!('error' in outcome)) restAsAsked(last.host, outcome, now);
        if (!patient && !('error' in outcome)) return outcome;
        const wait = waitBefore(failures, outcome, {
          url: last,
          now,
          timeoutSeconds: settings.timeoutSeconds,
          answeredBefore: broken.answeredBefore(last.host, started.getTime()),
          brokenForMs: judge(last.host, outcome, started, now),
          patience: patient ? settings.patience : impatience,
        });
        if (wait === undefined) return { ...(outcome as HttpResponse), retried };
        // Who asks for patience has not begun.
        retried ||= !wait.isAsked;
        const { reason, milliseconds } = wait;
        const known = 'error' in outcome ? failure(outcome.error).code : codeOf(outcome.status);
        const code = known === 'internal' ? 'upstream-unreachable' : known;
        const fields = { url: url.href, code, reason, seconds: milliseconds / 1000 };
        deps.log.warn(fields, 'no usable answer, waiting before the next attempt');
        if ('error' in outcome) {
          await deps.clock.sleep(wait.milliseconds, deadline.signal);
          continue;
        }
        // A host that asks for patience asks all of us: whoever comes next waits before its request.
        deps.gate.rest(last.host, now.getTime() + wait.milliseconds, reason);
        if (wait.isAsked) broken.asked(last.host, wait.milliseconds);
        await outcome.discard();
      }
    } catch (error) {
      deadline.end();
      throw error;
    }
  }

  return {
    get: async (url, options) => exchange({ method: 'GET', url: parseUrl(url) }, options),
    head: async (url, options) => exchange({ method: 'HEAD', url: parseUrl(url) }, options),
    post: async (url, form, options) =>
      exchange({ method: 'POST', url: parseUrl(url), form: form.toString() }, options),
    whole,
    mayReach: guard.mayReach,
    close: async () => {
      await Promise.all([small.destroy(), bulk.destroy()]);
    },
  };
}

function wholeOf(how: NonNullable<HttpOptions['bulk']>): number {
  return typeof how === 'boolean' ? 0 : how.whole;
}

const impatience: Patience = { busyAttempts: 1, connectAttempts: 1, firstWaitMs: 0, longestWaitMs: 0 };

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The configuration's own check has spoken of entries that are none. */
function parsePlaces(entries: readonly string[]): readonly AllowedPlace[] {
  return entries.flatMap((entry) => parseAllowedPlace(entry) ?? []);
}

function parseUrl(href: string): URL {
  try {
    return new URL(href);
  } catch (cause) {
    throw new BridgeError('upstream-unreachable', `${href} is not a URL`, { cause });
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

/** Of an answer after which we ask again. */
function codeOf(status: number): ErrorCode {
  return status === 429 || status === 503 ? 'upstream-busy' : 'upstream-status';
}
