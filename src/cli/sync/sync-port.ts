import { createLog } from '../../bridge/log.ts';
import { systemClock } from '../../bridge/system-clock.ts';
import { productName, version } from '../../bridge/version.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { createHostGate } from '../../harvest/http/host-gate.ts';
import { createHttp, type HttpSettings } from '../../harvest/http/http.ts';
import type { SourcePort } from '../../resourcesync/source-port.ts';
import type { CommandIo } from '../terminal/io.ts';
import { withPrivateHint } from '../validate/private-address.ts';

export interface SyncPortFlags {
  readonly allowPrivate: boolean;
  readonly contact?: string;
  readonly transfers: number;
}

/** A document may have 50 MB, and Sources write longer ones. */
const maximumDocumentBytes = 68 * 1024 * 1024;
const slowestRate = { graceSeconds: 120, bytesPerSecond: 1_000 };

/**
 * The way to a Source: polite as harvests are, and to no other private host than the given one. Once Ctrl-C is pressed no
 * list is read on; a resource is finished.
 */
export function openSyncPort(
  start: URL,
  { allowPrivate, contact, transfers }: SyncPortFlags,
  io: CommandIo,
): SourcePort & { close(): Promise<void> } {
  const deps = { gate: createHostGate(), clock: systemClock, log: createLog('silent', io.stderr) };
  const settings: Omit<HttpSettings, 'maxResponseBytes'> = {
    endpoint: start.href,
    userAgent: `${productName}/${version} (${contact === undefined ? 'sync' : `+${contact}`})`,
    contact,
    requestsPerHost: transfers,
    timeoutSeconds: 60,
    allowPrivateAddresses: allowPrivate,
    allowLoopbackFromLoopback: true,
    slowestRate,
  };
  const documents = createHttp({ ...settings, maxResponseBytes: maximumDocumentBytes }, deps);
  const contents = createHttp({ ...settings, maxResponseBytes: Number.MAX_SAFE_INTEGER }, deps);
  const signals = { document: eitherOf(io.stop, io.abort), content: eitherOf(io.abort) };
  return {
    get: async (uri, purpose, headers = {}) => {
      const asked = { 'accept-encoding': 'identity', ...headers };
      try {
        if (purpose === 'document')
          return await documents.get(uri, { signal: signals.document, decode: 'sniffed', headers: asked });
        return await contents.get(uri, { signal: signals.content, decode: 'declared', headers: asked });
      } catch (error) {
        throw withPrivateHint(error);
      }
    },
    close: async () => {
      await Promise.all([documents.close(), contents.close()]);
    },
  };
}
