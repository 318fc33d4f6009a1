import { Agent, type Dispatcher, request } from 'undici';
import type { Clock, Http, HttpOptions, HttpResponse, Log } from '../core/adapter.ts';
import { BridgeError } from '../core/errors.ts';
import { createAddressGuard } from './address-guard.ts';
import type { HostGate } from './host-gate.ts';
import { type Patience, waitBefore } from './patience.ts';
import { decodedBody, type SlowestRate } from './response-body.ts';

export interface HttpSettings {
  /** The configured endpoint: its host is trusted, and gets the configured headers. */
  readonly endpoint: string;
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
}

export interface HttpClient extends Http {
  close(): Promise<void>;
}

const maxRedirects = 5;

interface Exchange {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly form?: string;
}

/** The one way out: polite, safe, decoded. See `Http` for what its callers can rely on. */
export function createHttp(
  settings: HttpSettings,
  deps: { gate: HostGate; clock: Clock; log: Log },
): HttpClient {
  const endpoint = new URL(settings.endpoint);
  const guard = createAddressGuard(endpoint.hostname, settings.allowPrivateAddresses, {
    loopback: settings.allowLoopbackFromLoopback === true,
  });
  const dispatcher = new Agent({
    connect: { lookup: guard.lookup, timeout: 30_000 },
    connections: settings.requestsPerHost,
    headersTimeout: settings.timeoutSeconds * 1000,
    bodyTimeout: settings.timeoutSeconds * 1000,
    keepAliveTimeout: 10_000,
  });

  function headersFor(url: URL, options: HttpOptions): Record<string, string> {
    return {
      'user-agent': settings.userAgent,
      'accept-encoding': 'gzip',
      ...(settings.contact === undefined ? {} : { from: settings.contact }),
      ...options.headers,
      // Credentials never leave the host, port and scheme they were configured for.
      ...(url.origin === endpoint.origin ? settings.headers : {}),
    };
  }

  /**
   * One request, redirects followed; holds a place at the host until the body has been read.
   * @param asked is told where each redirect leads
   */
  async function attempt(
    start: URL,
    { method, form }: Exchange,
    options: HttpOptions,
    asked: (url: URL) => void,
  ): Promise<HttpResponse> {
    let url = start;
    for (let redirects = 0; ; redirects += 1) {
      guard.check(url);
      const leave = await deps.gate.enter(url.host, settings.requestsPerHost, options.signal);
      let response: Dispatcher.ResponseData;
      try {
        response = await request(url, {
          dispatcher,
          method,
          headers: {
            ...headersFor(url, options),
            ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          },
          ...(form === undefined ? {} : { body: form }),
          signal: options.signal,
        });
      } catch (error) {
        leave();
        throw error;
      }
      const target = redirectTarget(response, url);
      if (target === undefined) return toResponse(response, url, leave, options);
      await response.body.dump({ limit: 65_536 }).catch(() => undefined);
      leave();
      if (redirects === maxRedirects) {
        throw new BridgeError(
          'too-many-redirects',
          `${start.href} redirects more than ${maxRedirects} times`,
        );
      }
      deps.log.debug({ from: url.href, to: target.href }, 'redirected');
      url = target;
      asked(url);
    }
  }

  function toResponse(
    response: Dispatcher.ResponseData,
    url: URL,
    leave: () => void,
    { decode = 'sniffed' }: HttpOptions,
  ): HttpResponse {
    response.body.once('close', leave);
    const headers = flatten(response.headers);
    const mayBeGzip = decode === 'sniffed' || /\bgzip\b/i.test(headers['content-encoding'] ?? '');
    const { maxResponseBytes: maxBytes, slowestRate } = settings;
    return {
      status: response.statusCode,
      url: url.href,
      headers,
      body: decodedBody(response.body, url.href, { maxBytes, mayBeGzip, slowestRate }),
      discard: async () => {
        response.body.destroy();
        response.body.on('error', () => undefined);
        leave();
      },
    };
  }

  async function exchange(href: string, what: Exchange, options: HttpOptions): Promise<HttpResponse> {
    const url = parseUrl(href);
    for (let failures = 1; ; failures += 1) {
      let last = url;
      const outcome = await attempt(url, what, options, (asked) => {
        last = asked;
      }).catch((error: unknown) => ({ error }));
      options.signal.throwIfAborted();
      const wait = waitBefore(failures, outcome, {
        url: last,
        now: deps.clock.now(),
        patience: settings.patience,
      });
      if (wait === undefined) return outcome as HttpResponse;
      if ('discard' in outcome) await outcome.discard();
      deps.log.warn({ url: url.href, reason: wait.reason, seconds: wait.milliseconds / 1000 }, 'waiting');
      await deps.clock.sleep(wait.milliseconds, options.signal);
    }
  }

  return {
    get: (url, options) => exchange(url, { method: 'GET' }, options),
    head: (url, options) => exchange(url, { method: 'HEAD' }, options),
    post: (url, form, options) => exchange(url, { method: 'POST', form: form.toString() }, options),
    close: () => dispatcher.destroy(),
  };
}

function parseUrl(href: string): URL {
  try {
    return new URL(href);
  } catch (cause) {
    throw new BridgeError('upstream-unreachable', `${href} is not a URL`, { cause });
  }
}

function redirectTarget(response: Dispatcher.ResponseData, url: URL): URL | undefined {
  const location = response.headers.location;
  if (![301, 302, 303, 307, 308].includes(response.statusCode) || typeof location !== 'string')
    return undefined;
  let target: URL;
  try {
    // Some servers put spaces and the like into Location (quirk 34); URL escapes them.
    target = new URL(location.trim(), url);
  } catch {
    return undefined;
  }
  // http → https by a rule that forgets the query is common (quirk 32).
  if (target.search === '' && url.search !== '' && target.pathname === url.pathname)
    target.search = url.search;
  return target;
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
