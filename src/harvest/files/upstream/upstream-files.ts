import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Agent, type Dispatcher, request as send } from 'undici';
import type { Clock, Log } from '../../../core/adapter.ts';
import { parseAllowedPlace } from '../../../core/config/network-allow.ts';
import { eitherOf } from '../../../core/either-signal.ts';
import { describeError, isBridgeError } from '../../../core/errors.ts';
import {
  type UpstreamFile,
  UpstreamFileError,
  type UpstreamFileRequest,
  type UpstreamFiles,
} from '../../../core/files/upstream-files.ts';
import { type AddressGuard, createAddressGuard, type Resolve } from '../../http/address-guard.ts';
import { createGuardedAgent } from '../../http/guarded-agent.ts';
import { createHostGate, gateForReaders, type HostGate } from '../../http/host-gate.ts';
import { codesOf, onceMore } from '../../http/once-more.ts';
import { retryAfter } from '../../http/patience.ts';
import { redirected } from '../../http/redirect.ts';
import { paceOf, type SlowestRate } from '../../http/response-body.ts';
import { busy, type ConnectionPlaces, createConnectionPlaces } from './connection-places.ts';
import { MeasuredBody } from './measured-body.ts';
import { type ReadAnswer, readAnswer, type UpstreamAnswer } from './upstream-answer.ts';

/** How the files of one source are reached. */
export interface UpstreamFileSource {
  /** The configured address: its host may be private, at its own port, 80 and 443. */
  readonly endpoint: string;
  /** False: its address has to be public, or allowed; default true. */
  readonly trusted?: boolean | undefined;
  /** `network.allow`. */
  readonly allow: readonly string[];
  readonly allowPrivateAddresses: boolean;
  readonly userAgent: string;
  readonly contact?: string | undefined;
  /** Files on their way at a time. */
  readonly connections: number;
  /** Of those, for one client; default: all. */
  readonly share?: number | undefined;
  /** Of the repository: how slowly a reader reads does not count. A body that comes more slowly is left. */
  readonly slowestRate: SlowestRate;
}

export interface UpstreamPatience {
  /** Silence before the headers, and within the body, that ends an exchange. */
  readonly headersMs: number;
  readonly bodyMs: number;
  /** For a free connection. */
  readonly placeMs: number;
}

export interface ConfiguredUpstreamFiles extends UpstreamFiles {
  /** The settings of a source have changed: from now on files are fetched by them. */
  forget(source: string): void;
  close(): Promise<void>;
}

interface OpenSource {
  readonly settings: UpstreamFileSource;
  readonly guard: AddressGuard;
  readonly agent: Agent;
  readonly places: ConnectionPlaces;
  readonly gate: HostGate;
}

const maxRedirects = 5;
/** Octets of a body without interest that are read, so that its connection can be used again. */
const dumped = 65_536;
const defaults: UpstreamPatience = { headersMs: 30_000, bodyMs: 60_000, placeMs: 10_000 };

/** Servers that do not answer a HEAD as they would a GET: what they say then is not believed. */
const headIsDoubtful: ReadonlySet<number> = new Set([400, 403, 404, 405, 500, 501]);

export interface UpstreamFileDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly resolve?: Resolve;
  readonly patience?: Partial<UpstreamPatience>;
  /** At which requests for the files of a source wait, beside other processes; default: one of its own. */
  gateOf?(source: string): HostGate;
}

/** @param sourceOf undefined for a source that is not configured, or whose files are nobody's business */
export function createUpstreamFiles(
  sourceOf: (name: string) => UpstreamFileSource | undefined,
  deps: UpstreamFileDeps,
): ConfiguredUpstreamFiles {
  const patience = { ...defaults, ...deps.patience };
  const ownGate = gateForReaders(createHostGate());
  const opened = new Map<string, OpenSource>();
  /** Something may be on its way through them. */
  const forgotten: OpenSource[] = [];

  function find(name: string): OpenSource {
    const known = opened.get(name);
    if (known) return known;
    const settings = sourceOf(name);
    if (!settings) throw failed('the source of this file is not read any more');
    const guard = createAddressGuard({
      endpoint: new URL(settings.endpoint),
      trusted: settings.trusted,
      scope: 'found',
      allow: settings.allow.flatMap((entry) => parseAllowedPlace(entry) ?? []),
      allowPrivate: settings.allowPrivateAddresses,
      resolve: deps.resolve,
    });
    const { connections, share = 1 } = settings;
    const agent = createGuardedAgent(guard, { connections, timeoutSeconds: patience.bodyMs / 1000 });
    const rules = { places: connections, share, longestWaitMs: patience.placeMs };
    const places = createConnectionPlaces(rules);
    const source = { settings, guard, agent, places, gate: deps.gateOf?.(name) ?? ownGate };
    opened.set(name, source);
    return source;
  }

  /** A reader does not wait for as long as a host wants to be left alone. */
  async function enter(
    { gate, settings }: OpenSource,
    host: string,
    signal: AbortSignal,
  ): Promise<() => void> {
    const late = AbortSignal.timeout(patience.placeMs);
    try {
      const leave = await gate.enter(host, settings.connections, eitherOf(signal, late));
      const restMs = gate.restOf(host, deps.clock.now().getTime());
      if (restMs <= 0) return leave;
      leave();
      throw new UpstreamFileError('upstream-file-busy', 'the repository asks to be left alone', {
        retryAfterSeconds: Math.ceil(restMs / 1000),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw late.aborted ? busy() : error;
    }
  }

  async function ask(
    source: OpenSource,
    { url: href, method, range, ifRange, ifNoneMatch }: UpstreamFileRequest,
    signal: AbortSignal,
  ): Promise<UpstreamAnswer> {
    const { settings, guard, agent } = source;
    // Nothing but this: no header of the configuration, and none of whoever asks us.
    const headers = {
      'user-agent': settings.userAgent,
      ...(settings.contact === undefined ? {} : { from: settings.contact }),
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(range === undefined ? {} : { range }),
      ...(ifRange === undefined ? {} : { 'if-range': ifRange }),
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    };
    const { headersMs: headersTimeout, bodyMs: bodyTimeout } = patience;
    let url = parse(href);
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      guard.check(url);
      if (url.username !== '' || url.password !== '') throw failed('its address has credentials in it');
      const options = { dispatcher: agent, method, headers, signal, headersTimeout, bodyTimeout };
      const leave = await enter(source, url.host, signal);
      const { host } = url;
      const response = await onceMore(() => send(url, options), signal).catch((error: unknown) => {
        leave();
        throw error;
      });
      response.body.once('close', leave);
      restAsAsked(source.gate, host, response);
      const next = redirected({ method, url }, response.statusCode, response.headers.location, false);
      if (next === undefined) {
        return {
          status: response.statusCode,
          url: url.href,
          header: (name) => [response.headers[name] ?? []].flat()[0],
          body: response.body,
          drop: () => void response.body.dump({ limit: dumped, signal }).catch(() => undefined),
        };
      }
      await response.body.dump({ limit: dumped, signal }).catch(() => undefined);
      url = next.url;
    }
    throw failed('the repository redirects without end');
  }

  function restAsAsked(gate: HostGate, host: string, { statusCode, headers }: Dispatcher.ResponseData): void {
    if (statusCode !== 429 && statusCode !== 503) return;
    const now = deps.clock.now();
    const milliseconds = retryAfter([headers['retry-after'] ?? []].flat()[0], now);
    if (milliseconds !== undefined)
      gate.rest(host, now.getTime() + milliseconds, `${statusCode} from server, as asked`);
  }

  async function open(
    source: OpenSource,
    wanted: UpstreamFileRequest,
    signal: AbortSignal,
    leave: () => void,
  ): Promise<UpstreamFile> {
    const answer = await ask(source, wanted, signal);
    if (wanted.method === 'HEAD' && headIsDoubtful.has(answer.status)) {
      answer.drop();
      const whole = await open(source, { ...wanted, method: 'GET' }, signal, leave);
      if ('body' in whole) whole.body.destroy();
      return whole;
    }
    try {
      const read = readAnswer(answer, wanted, deps.clock.now());
      if (read === 'without-range') {
        answer.drop();
        return await open(source, { ...wanted, range: undefined, ifRange: undefined }, signal, leave);
      }
      if ('content' in read && wanted.method === 'GET') {
        return { ...read.content, body: bodyOf(answer.body, read, source.settings.slowestRate, leave) };
      }
      answer.drop();
      leave();
      return 'content' in read ? { ...read.content, body: Readable.from([]) } : read;
    } catch (error) {
      answer.drop();
      throw error;
    }
  }

  return {
    async open(wanted, signal) {
      const source = find(wanted.source);
      const leave = await source.places.enter(signal, wanted.client);
      try {
        return await open(source, wanted, signal, leave);
      } catch (error) {
        leave();
        signal.throwIfAborted();
        const known = toFileError(error);
        const { source: name, url } = wanted;
        deps.log.info(
          { source: name, url, code: known.code, reason: describeError(error) },
          'file not available upstream',
        );
        throw known;
      }
    },
    forget(name) {
      forgotten.push(...[opened.get(name) ?? []].flat());
      opened.delete(name);
    },
    close: async () => {
      await Promise.all([...forgotten, ...opened.values()].map(({ agent }) => agent.destroy()));
    },
  };
}

function bodyOf(
  raw: Readable,
  { gunzip, bodyLength, announced }: ReadAnswer,
  slowestRate: SlowestRate,
  leave: () => void,
): Readable {
  const measured = new MeasuredBody({ length: bodyLength, announced, toError: toFileError });
  const paced = (body: Readable) => paceOf(body, 'the repository', slowestRate);
  // Whoever reads it is told of its end by the stream itself.
  if (gunzip) pipeline(raw, paced, createGunzip(), measured, leave);
  else pipeline(raw, paced, measured, leave);
  return measured;
}

function parse(href: string): URL {
  if (!URL.canParse(href)) throw failed('its address is not a URL');
  return new URL(href);
}

function failed(message: string, cause?: unknown): UpstreamFileError {
  return new UpstreamFileError('upstream-file-failed', message, { cause });
}

const timeouts = /^(?:UND_ERR_(?:HEADERS|BODY|CONNECT)_TIMEOUT|ETIMEDOUT)$/;

function toFileError(error: unknown): UpstreamFileError {
  if (error instanceof UpstreamFileError) return error;
  if (isBridgeError(error, 'upstream-too-slow') || codesOf(error).some((code) => timeouts.test(code))) {
    const message = 'the repository does not answer in time';
    return new UpstreamFileError('upstream-file-timeout', message, { cause: error, retryAfterSeconds: 60 });
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isBridgeError(cause, 'address-refused')) {
      return failed('it leads to an address that is not public', error);
    }
  }
  return new UpstreamFileError('upstream-file-failed', 'the repository cannot be reached', {
    cause: error,
    retryAfterSeconds: 60,
  });
}
