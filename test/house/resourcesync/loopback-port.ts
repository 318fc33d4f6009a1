import { systemClock } from '../../../src/bridge/system-clock.ts';
import { forCrowd } from '../../../src/core/either-signal.ts';
import { createHostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp } from '../../../src/harvest/http/http.ts';
import type { SourcePort } from '../../../src/resourcesync/source-port.ts';
import { silent } from '../publish/seed.ts';

/** The real way out, to a Source on loopback, that does not wait long for anybody. */
export function openLoopbackPort(origin: string): SourcePort & { close(): Promise<void> } {
  const http = createHttp(
    {
      endpoint: origin,
      userAgent: 'test',
      requestsPerHost: 4,
      timeoutSeconds: 20,
      maxResponseBytes: 1_000_000_000,
      allowPrivateAddresses: false,
      allowLoopbackFromLoopback: true,
      patience: { busyAttempts: 1, connectAttempts: 1, firstWaitMs: 1, longestWaitMs: 1 },
    },
    { gate: createHostGate(), clock: systemClock, log: silent },
  );
  const signal = forCrowd(new AbortController().signal);
  const small = http.whole({
    signal,
    headers: { 'accept-encoding': 'identity' },
    longestBody: 262_144,
    ahead: () => 4,
  });
  return {
    small: { atOnce: 16, get: (uri) => small.ask(uri) },
    get: async (uri, purpose, headers = {}) => {
      const response = await http.get(uri, {
        signal,
        decode: purpose === 'document' ? 'sniffed' : 'declared',
        headers: { 'accept-encoding': 'identity', ...headers },
      });
      if (purpose === 'resource') small.saw(response);
      return response;
    },
    close: () => {
      small.close();
      return http.close();
    },
  };
}
