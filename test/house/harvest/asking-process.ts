import { systemClock } from '../../../src/bridge/system-clock.ts';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { forCrowd } from '../../../src/core/either-signal.ts';
import { gateOfGroup } from '../../../src/harvest/http/host-gate.ts';
import { createHttp } from '../../../src/harvest/http/http.ts';
import { createSharedGate, type SharedGateTimes } from '../../../src/harvest/politeness/shared-gate.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';

/** What a process that asks a platform for sources is told. */
export interface Asking {
  readonly database: DatabaseConfig;
  /** The names of one machine, one for each source. */
  readonly urls: readonly string[];
  readonly requestsPerHost: number;
  readonly times: SharedGateTimes;
}

const { database: config, urls, requestsPerHost, times } = JSON.parse(process.argv[2] ?? '') as Asking;

const database = openDatabase(config);
const say = (...what: unknown[]) => process.stderr.write(`${what.map(String).join(' ')}\n`);
const log = { debug() {}, info() {}, warn: say, error: say };
const stop = new AbortController();
const gate = createSharedGate(database, { clock: systemClock, log, stop: stop.signal }, times);
forCrowd(stop.signal);
process.once('SIGTERM', () => stop.abort());

const group = gateOfGroup(gate, 'platform', () => true);
await Promise.all(
  urls.map(async (url) => {
    const http = createHttp(
      {
        ...{ endpoint: url, userAgent: `asker/${process.pid}`, requestsPerHost, timeoutSeconds: 60 },
        ...{ maxResponseBytes: 1_000_000, allowPrivateAddresses: true },
      },
      { gate: group, clock: systemClock, log },
    );
    while (!stop.signal.aborted) {
      try {
        const response = await http.get(url, { signal: stop.signal, patient: false });
        for await (const chunk of response.body) void chunk;
      } catch (error) {
        if (!stop.signal.aborted) say(error);
      }
    }
    await http.close();
  }),
);
await gate.close();
await database.close();
