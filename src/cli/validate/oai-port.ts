import { createLog } from '../../bridge/log.ts';
import { systemClock } from '../../bridge/system-clock.ts';
import { productName, version } from '../../bridge/version.ts';
import type { Clock } from '../../core/adapter.ts';
import { createHostGate } from '../../harvest/http/host-gate.ts';
import { createHttp } from '../../harvest/http/http.ts';
import type { EndpointPort } from '../../oai-conformance/answers/endpoint-port.ts';
import type { CommandIo } from '../terminal/io.ts';
import { withPrivateHint } from './private-address.ts';

/** Pages of a list, records included: validators of aggregators give up sooner. */
const maximumPageBytes = 32 * 1024 * 1024;
/** Long enough for a page that is made while it is sent, short enough not to be held for ever. */
const slowestRate = { graceSeconds: 120, bytesPerSecond: 5_000 };
/** One answer, from the request to its last byte. */
const longestAnswerMs = 600_000;

/**
 * The way to somebody's endpoint: one request at a time, and none before the time that it asks for. Compression is asked
 * for where it is judged alone.
 */
export function openEndpointPort(
  start: URL,
  { allowPrivate, contact }: { readonly allowPrivate: boolean; readonly contact?: string | undefined },
  signal: AbortSignal,
  io: Pick<CommandIo, 'stderr'>,
  clock: Clock = systemClock,
): EndpointPort & { close(): Promise<void> } {
  const http = createHttp(
    {
      endpoint: start.href,
      userAgent: `${productName}/${version} (${contact === undefined ? 'validate' : `+${contact}`})`,
      contact,
      requestsPerHost: 1,
      timeoutSeconds: 120,
      maxResponseBytes: maximumPageBytes,
      allowPrivateAddresses: allowPrivate,
      allowLoopbackFromLoopback: true,
      slowestRate,
    },
    { gate: createHostGate(), clock, log: createLog('silent', io.stderr) },
  );
  // What is asked again, and when, is the business of who asks.
  const asked = { signal, decode: 'declared', patient: false, deadline: longestAnswerMs } as const;
  const plain = { 'accept-encoding': 'identity' };
  const hinting = (error: unknown) => {
    throw withPrivateHint(error);
  };
  return {
    get: (url, headers = {}) => http.get(url, { ...asked, headers: { ...plain, ...headers } }).catch(hinting),
    post: (url, form) =>
      http.post(url, new URLSearchParams(form), { ...asked, headers: plain }).catch(hinting),
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds, signal),
    close: () => http.close(),
  };
}
