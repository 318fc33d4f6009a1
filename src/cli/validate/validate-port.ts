import { createLog } from '../../bridge/log.ts';
import { systemClock } from '../../bridge/system-clock.ts';
import { productName, version } from '../../bridge/version.ts';
import { createHostGate } from '../../harvest/http/host-gate.ts';
import { createHttp, type HttpSettings } from '../../harvest/http/http.ts';
import type { SourcePort } from '../../resourcesync/source-port.ts';
import type { CommandIo } from '../terminal/io.ts';
import { withPrivateHint } from './private-address.ts';

/** A document may have 50 MB; a little more is read, to say that it is too much. */
const maximumDocumentBytes = 68 * 1024 * 1024;
const maximumResourceBytes = 1024 * 1024 * 1024;
/** Long enough for a document that is made while it is sent, short enough not to be held for ever. */
const slowestRate = { graceSeconds: 300, bytesPerSecond: 50_000 };
const patience = { busyAttempts: 3, connectAttempts: 2, firstWaitMs: 2000, longestWaitMs: 30_000 };

export interface PortFlags {
  readonly allowPrivate: boolean;
  readonly maxPackageBytes: number;
  readonly contact?: string;
}

/**
 * The way to somebody's Source: one request at a time, no other private host than the given one. It asks for plain
 * bytes, so that what comes compressed all the same is noticed.
 */
export function openSourcePort(
  start: URL,
  { allowPrivate, maxPackageBytes, contact }: PortFlags,
  signal: AbortSignal,
  io: CommandIo,
): SourcePort & { close(): Promise<void> } {
  const deps = { gate: createHostGate(), clock: systemClock, log: createLog('silent', io.stderr) };
  const settings: Omit<HttpSettings, 'maxResponseBytes'> = {
    endpoint: start.href,
    userAgent: `${productName}/${version} (${contact === undefined ? 'validate' : `+${contact}`})`,
    contact,
    requestsPerHost: 2,
    timeoutSeconds: 60,
    allowPrivateAddresses: allowPrivate,
    allowLoopbackFromLoopback: true,
    slowestRate,
    patience,
  };
  const clients = {
    document: createHttp({ ...settings, maxResponseBytes: maximumDocumentBytes }, deps),
    resource: createHttp({ ...settings, maxResponseBytes: maximumResourceBytes }, deps),
    package: createHttp({ ...settings, maxResponseBytes: maxPackageBytes + 1 }, deps),
  };
  return {
    get: async (uri, purpose, headers = {}) => {
      // A list may be a gzip file; of resources and packages the very bytes are judged.
      const decode = purpose === 'document' ? 'sniffed' : 'declared';
      const asked = { signal, decode, headers: { 'accept-encoding': 'identity', ...headers } } as const;
      try {
        return await clients[purpose].get(uri, asked);
      } catch (error) {
        throw withPrivateHint(error);
      }
    },
    close: async () => {
      for (const client of Object.values(clients)) await client.close();
    },
  };
}
