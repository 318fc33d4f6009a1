import { createAdapter } from '../../../adapters/index.ts';
import { adapterSettings, httpSettings, oaiSettings } from '../../../src/bridge/bridge.ts';
import type { AdapterContext, Clock, Log } from '../../../src/core/adapter.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import type { Threads } from '../../../src/core/threads.ts';
import { createFileChecker } from '../../../src/harvest/files/checks/file-checker.ts';
import type { HarvestSource } from '../../../src/harvest/harvest-source.ts';
import { createHostGate, type HostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp, type HttpClient } from '../../../src/harvest/http/http.ts';
import { createLessonBook } from '../../../src/harvest/lessons.ts';
import { createThreads } from '../../../src/harvest/threads/threads.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { anyIdentifier } from '../../../src/store/reading/items.ts';

/** As `rsbridge` opens it. */
export interface OpenSource extends HarvestSource {
  readonly found: HttpClient;
  readonly gate: HostGate;
  close(): Promise<void>;
}

/** What a source is configured with. */
export interface SourceOptions {
  readonly url: string;
  /** Beside its address. */
  readonly source?: Record<string, unknown>;
  readonly contact?: string;
}

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** For all sources of this process; by default none, as with `rsbridge`. `TEST_THREADS=1` has it all read in a thread. */
const most = Number(process.env.TEST_THREADS ?? 0);
const threads = most > 0 ? createThreads(most, silent) : undefined;

/**
 * A configured source with the real client and adapter, put together as `rsbridge` does.
 * @param database where its items are, for adapters that ask what those are called
 * @param readers where answers are read; default: where all sources have them read
 */
export function openSource(
  name: string,
  { url, source, contact }: SourceOptions,
  clock: Clock,
  database?: Database,
  readers: Threads | null = threads ?? null,
): OpenSource {
  const settings = { files: { mode: 'none' }, ...source, url };
  const config = parseConfig({ sources: { [name]: settings }, ...(contact && { contact }) });
  const configured = config.sources[name];
  if (configured === undefined) throw new Error('the source is not in its own configuration');
  const gate = createHostGate();
  const deps = { gate, clock, log: silent };
  const http = createHttp(httpSettings(configured, config), deps);
  const found = createHttp({ ...httpSettings(configured, config), scope: 'found', headers: undefined }, deps);
  const lessons = createLessonBook(clock);
  const alone = { http, log: silent, clock, lessons, threads: readers ?? undefined };
  const context: AdapterContext = {
    ...alone,
    oaiAt: (oai) => createAdapter('oai-pmh', oaiSettings(configured, oai), alone),
    ...(database && { knownIdentifier: () => anyIdentifier(database.reader, name) }),
  };
  const adapter = createAdapter(configured.adapter, adapterSettings(configured), context);
  const { requestsPerHost, files } = configured;
  const rules = { recheckDays: files.recheckDays, requestsPerHost };
  const fileCheck = createFileChecker({ http: found, gate, clock }, rules);
  const close = async () => {
    await Promise.all([http.close(), found.close()]);
  };
  return { name, config: configured, adapter, lessons, fileCheck, found, gate, close };
}
