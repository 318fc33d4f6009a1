import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createLog } from '../../bridge/log.ts';
import { systemClock } from '../../bridge/system-clock.ts';
import { productName, version } from '../../bridge/version.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError } from '../../core/errors.ts';
import { keepSecret } from '../../core/secrets.ts';
import { bodyChunks } from '../../harvest/http/chunk-memory.ts';
import { createHostGate, watchedGate } from '../../harvest/http/host-gate.ts';
import { createHttp, type HttpSettings } from '../../harvest/http/http.ts';
import type { SourcePort } from '../../resourcesync/source-port.ts';
import type { CommandIo } from '../terminal/io.ts';
import { withPrivateHint } from '../validate/private-address.ts';
import { toldRests } from './told-rests.ts';

export interface SyncPortFlags {
  readonly allowPrivate: boolean;
  readonly contact?: string;
  readonly transfers: number;
  /** It goes on for ever: a host that is to be left alone is waited for. */
  readonly watch: boolean;
  /** A file with the token of a private Source; else RSBRIDGE_ACCESS_TOKEN, if there is one. */
  readonly accessTokenFile?: string;
}

/** A document may have 50 MB, and Sources write longer ones. */
const maximumDocumentBytes = 68 * 1024 * 1024;
/** Nearly all resources are small: they come without a stream. */
const wholeOctets = 262_144;
/** Requests to a server of ours that has not answered those ahead of them; others are asked one after the other. */
const requestsAhead = 8;
const lookMs = 100;
const slowestRate = { graceSeconds: 120, bytesPerSecond: 1_000 };

export interface SyncPort extends SourcePort {
  /** Why a run is to end before its time: its host wants to be left alone for long. */
  readonly left: AbortSignal;
  close(): Promise<void>;
}

/**
 * The way to a Source: polite as harvests are, and to no other private host than the given one. Once Ctrl-C is pressed no
 * list is read on; a resource is finished, unless all that is under way waits for its turn.
 */
export function openSyncPort(
  start: URL,
  { allowPrivate, contact, transfers, watch, accessTokenFile }: SyncPortFlags,
  io: CommandIo,
): SyncPort {
  const leaving = new AbortController();
  const onLong = (why: string) => leaving.abort(new BridgeError('upstream-busy', why, { retryable: true }));
  const watched = watchedGate(createHostGate());
  const gate = toldRests(watched.gate, { io, onLong: watch ? undefined : onLong });
  const idle = onceIdle(io.stop, watched.isAsking);
  const deps = { gate, clock: systemClock, log: createLog('silent', io.stderr) };
  const token = readToken(accessTokenFile, io);
  const settings: Omit<HttpSettings, 'maxResponseBytes'> = {
    endpoint: start.href,
    userAgent: `${productName}/${version} (${contact === undefined ? 'sync' : `+${contact}`})`,
    contact,
    // To the host, port and scheme of the given address alone.
    headers: token === undefined ? undefined : { authorization: `Bearer ${token}` },
    requestsPerHost: transfers,
    timeoutSeconds: 60,
    allowPrivateAddresses: allowPrivate,
    allowLoopbackFromLoopback: true,
    slowestRate,
  };
  const documents = createHttp({ ...settings, maxResponseBytes: maximumDocumentBytes }, deps);
  const contents = createHttp({ ...settings, maxResponseBytes: Number.MAX_SAFE_INTEGER }, deps);
  const left = leaving.signal;
  const signals = {
    document: eitherOf(io.stop, io.abort, left),
    content: eitherOf(io.abort, left, idle.signal),
  };
  const identity = { 'accept-encoding': 'identity' };
  const small = contents.whole({
    signal: signals.content,
    headers: identity,
    longestBody: wholeOctets,
    ahead: (server) => (server?.startsWith(`${productName}/`) ? requestsAhead : 1),
  });
  return {
    left,
    isAuthorised: token !== undefined,
    giveBack: (chunk) => bodyChunks.giveBack(chunk),
    small: { atOnce: transfers * requestsAhead, get: (uri) => small.ask(uri) },
    get: async (uri, purpose, headers = {}) => {
      const asked = { ...identity, ...headers };
      try {
        if (purpose === 'document')
          return await documents.get(uri, { signal: signals.document, decode: 'sniffed', headers: asked });
        const how = { decode: 'declared', bulk: { whole: wholeOctets } } as const;
        const response = await contents.get(uri, { signal: signals.content, ...how, headers: asked });
        small.saw(response);
        return response;
      } catch (error) {
        throw withPrivateHint(error);
      }
    },
    close: async () => {
      idle.end();
      small.close();
      await Promise.all([documents.close(), contents.close()]);
    },
  };
}

/** Aborted as soon as nothing is asked any more after a stop: what waits then is not begun. */
function onceIdle(stop: AbortSignal, isAsking: () => boolean) {
  const idle = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const why = new BridgeError('upstream-busy', 'it was not its turn before the run was stopped', {
    retryable: true,
  });
  const look = () => {
    if (!isAsking()) idle.abort(why);
  };
  const begin = () => {
    timer = setInterval(look, lookMs);
  };
  stop.addEventListener('abort', begin, { once: true });
  const end = () => {
    stop.removeEventListener('abort', begin);
    clearInterval(timer);
  };
  return { signal: idle.signal, end };
}

/** @throws BridgeError `usage` */
function readToken(file: string | undefined, { env, cwd }: CommandIo): string | undefined {
  let token = env.RSBRIDGE_ACCESS_TOKEN?.trim();
  if (file !== undefined) {
    try {
      token = readFileSync(resolve(cwd, file), 'utf8').trim();
    } catch (cause) {
      throw new BridgeError('usage', `--access-token-file ${file} cannot be read`, { cause });
    }
  }
  if (!token) return undefined;
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new BridgeError(
      'usage',
      'the access token has characters that no token has: give it alone, in one line',
    );
  keepSecret(token);
  return token;
}
