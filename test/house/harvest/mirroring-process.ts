import { createHostHealth } from '../../../src/harvest/files/checks/host-health.ts';
import { mirrorFiles } from '../../../src/harvest/files/mirror/mirror.ts';
import { createQuota } from '../../../src/harvest/files/mirror/quota.ts';
import { createHostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp } from '../../../src/harvest/http/http.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';

/** Mirrors the due files of a source in a process that may be killed: FILE DIRECTORY SOURCE ID ENDPOINT. */
const [file = '', directory = '', source = '', sourceId = '', endpoint = ''] = process.argv.slice(2);
const clock = { now: () => new Date(), sleep: () => Promise.resolve() };
const log = { debug() {}, info() {}, warn() {}, error() {} };
const http = createHttp(
  {
    endpoint,
    scope: 'found',
    userAgent: 'resourcesync-bridge/1.2.3',
    requestsPerHost: 4,
    timeoutSeconds: 20,
    maxResponseBytes: 1e9,
    allowPrivateAddresses: false,
  },
  { gate: createHostGate(), clock, log },
);
const database = openDatabase({ client: 'sqlite', file });
const report = await mirrorFiles(
  {
    database,
    directory,
    log,
    http,
    source,
    sourceId: Number(sourceId),
    clock,
    health: createHostHealth(),
    quota: createQuota(undefined, 0),
    maxFileBytes: 1e9,
    slowestRate: { graceSeconds: 60, bytesPerSecond: 1 },
    recheckDays: 30,
    requestsPerHost: 4,
    patienceMs: 1000,
  },
  { signal: new AbortController().signal },
);
await http.close();
await database.close();
process.stdout.write(`${JSON.stringify(report)}\n`);
