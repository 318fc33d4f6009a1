import type { Logger } from 'pino';
import { createAdapter } from '../../adapters/index.ts';
import type { AdapterContext, AdapterSettings, Clock, Identity } from '../core/adapter.ts';
import type { Config, SourceConfig } from '../core/config/config.ts';
import { upstreamOai } from '../core/config/oai-schema.ts';
import { oaiFormats, ownFormats } from '../core/config/published-formats.ts';
import { sourceSchema } from '../core/config/source-schema.ts';
import { eitherOf } from '../core/either-signal.ts';
import { BridgeError, refusal } from '../core/errors.ts';
import type { UpstreamFiles } from '../core/files/upstream-files.ts';
import { hubsOf } from '../core/push/hubs.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { type AnswerTally, createAnswerTally } from '../harvest/answer-tally.ts';
import { createFileChecker } from '../harvest/files/checks/file-checker.ts';
import type { FileJobDeps } from '../harvest/files/file-job.ts';
import { createUpstreamFiles, type UpstreamFileSource } from '../harvest/files/upstream/upstream-files.ts';
import type { HarvestSource } from '../harvest/harvest-source.ts';
import { gateForReaders, gateOfGroup, type HostGate, watchedGate } from '../harvest/http/host-gate.ts';
import { createHttp, type HttpClient } from '../harvest/http/http.ts';
import { createLessonBook } from '../harvest/lessons.ts';
import { createSharedGate } from '../harvest/politeness/shared-gate.ts';
import { createThreads } from '../harvest/threads/threads.ts';
import { createPublisher, type Publisher } from '../publish/publisher.ts';
import { createListsInTime, type ListsInTime } from '../publish/time/lists-in-time.ts';
import { holdingsOf } from '../store/changes/holdings.ts';
import { anyIdentifier } from '../store/reading/items.ts';
import { shownSettings } from './config/shown-settings.ts';
import { keeperOf } from './log.ts';
import { type Presence, startPresence } from './presence/presence.ts';
import { openStored, type SourceChanges, type StoredBridge } from './stored-bridge.ts';
import { systemClock } from './system-clock.ts';
import { productName, version } from './version.ts';

/** The house put together: the only place where the rooms meet. */
export interface Bridge extends StoredBridge {
  readonly log: Logger;
  /** What others at this database are told of this process; what takes a while tells it how far it is. */
  readonly presence: Presence;
  readonly publisher: Publisher;
  readonly listsInTime: ListsInTime;
  /** Files where they lie, for those who ask the server for them. */
  readonly upstreamFiles: UpstreamFiles;
  /** How repositories answered this process, but for files that readers asked for. */
  readonly upstreamAnswers: AnswerTally;
  /** What work on a source's files needs. */
  fileWork(source: string): FileJobDeps;
  /** At which all requests to the repository of a source wait, those of other processes, too. */
  gateOf(source: PoliteSource): HostGate;
  /** @throws BridgeError `unknown-source` with the known names */
  source(name: string): HarvestSource;
  sources(names?: readonly string[]): readonly HarvestSource[];
  sets(): readonly ResourceSet[];
  /** Takes the sources of another configuration: what is under way with a source ends as it began. */
  replaceSources(next: Config): Promise<SourceChanges>;
}

/** Of a source that there is, or is to be. */
export interface PoliteSource {
  readonly politenessGroup?: string | undefined;
  readonly url?: string | undefined;
}

interface OpenSource extends HarvestSource {
  /** For URLs found in records. */
  readonly found: HttpClient;
}

/** Sources that are read side by side; each holds a page or two in memory, the others wait for their turn. */
export const harvestsAtOnce = 8;

/** A first Ctrl-C lets a page be finished, but a mere wait (`Retry-After: 3600`) ends with it. */
function impatientClock(stop: AbortSignal | undefined): Clock {
  if (!stop) return systemClock;
  return {
    now: systemClock.now,
    sleep: async (milliseconds, signal) => {
      try {
        await systemClock.sleep(milliseconds, signal ? eitherOf(signal, stop) : stop);
      } catch (cause) {
        if (!stop.aborted) throw cause;
        throw new BridgeError('interrupted', 'stopped while waiting for the server, as asked', { cause });
      }
    },
  };
}

/**
 * @param schema what to do about the database's schema
 * @param stop ends waits for upstreams
 * @param among how many processes that answer requests the connections to repositories are divided
 */
export async function openBridge(
  given: Config,
  log: Logger,
  schema: 'migrate' | 'check',
  stop?: AbortSignal,
  among = 1,
): Promise<Bridge> {
  const upstreamClock = impatientClock(stop);
  const stored = await openStored(given, schema);
  const { config, clock, database, setsOf } = stored;
  const requests = new Map<string, number>();
  const presence = startPresence({
    database,
    log: keeperOf(log),
    requestsOf: (source) => requests.get(source),
  });
  const shared = createSharedGate(database, { clock, log, stop });
  const upstreamAnswers = createAnswerTally();
  const threads = config.workers > 0 ? createThreads(config.workers, log) : undefined;
  const clients: HttpClient[] = [];
  const opened = new Map<string, OpenSource>();

  function gateOf({ politenessGroup: group, url }: PoliteSource, gate: HostGate = shared): HostGate {
    if (group === undefined) return gate;
    const own = url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
    const isOne = (host: string) =>
      host === own ||
      Object.values(config.sources).some(
        (source) => source.politenessGroup === group && new URL(source.url).host === host,
      );
    return gateOfGroup(gate, group, isOne);
  }

  function open(name: string, settings: SourceConfig): OpenSource {
    const { gate, isAsking } = watchedGate(gateOf(settings));
    const own = {
      ...{ gate, clock: upstreamClock, log: log.child({ source: name }) },
      answered: (status: number | undefined) => {
        upstreamAnswers.note(name, status);
        requests.set(name, (requests.get(name) ?? 0) + 1);
      },
    };
    const http = createHttp(httpSettings(settings, config), own);
    const found = createHttp({ ...httpSettings(settings, config), scope: 'found', headers: undefined }, own);
    clients.push(http, found);
    requests.set(name, requests.get(name) ?? 0);
    const lessons = createLessonBook(clock);
    const alone = { http, log: own.log, clock: upstreamClock, lessons, threads };
    const context: AdapterContext = {
      ...alone,
      oaiAt: (url) => createAdapter('oai-pmh', oaiSettings(settings, url), alone),
      knownIdentifier: () => anyIdentifier(database.reader, name),
      holdings: holdingsOf(database, name),
      baseUrl: config.baseUrl,
      readBy: (uri) =>
        Object.entries(config.sources).find(([other, { url }]) => other !== name && isBelow(uri, url))?.[0],
    };
    const adapter = createAdapter(settings.adapter, adapterSettings(settings), context);
    const { requestsPerHost, files } = settings;
    const fileCheck = createFileChecker(
      { http: found, gate: own.gate, clock },
      { recheckDays: files.recheckDays, requestsPerHost },
    );
    const shown = () => shownSettings(sourceSchema, settings);
    return { name, config: settings, adapter, lessons, isAsking, fileCheck, shownSettings: shown, found };
  }

  function source(name: string): OpenSource {
    const settings = Object.hasOwn(config.sources, name) ? config.sources[name] : undefined;
    if (!settings) {
      const known = Object.keys(config.sources).join(', ') || 'none';
      throw refusal('unknown-source', 'source-unknown', { name, names: known });
    }
    const existing = opened.get(name) ?? open(name, settings);
    opened.set(name, existing);
    return existing;
  }

  const upstreamFiles = createUpstreamFiles(
    (name) => {
      const settings = Object.hasOwn(config.sources, name) ? config.sources[name] : undefined;
      return settings && dividedAmong(among, upstreamFileSettings(settings, config));
    },
    {
      ...{ clock, log },
      gateOf: (name) => gateOf(config.sources[name] ?? {}, gateForReaders(shared)),
    },
  );
  const publisher = createPublisher({
    database,
    directory: config.directory,
    baseUrl: config.baseUrl,
    clock,
    log,
    policy: { ...config.publish, hubsOf: (set) => hubsOf(config, set) },
  });
  const listsInTime = createListsInTime({
    database,
    directory: config.directory,
    baseUrl: config.baseUrl,
    clock,
    log,
    keep: config.publish.retention.listsInTime,
    keepBytes: config.publish.retention.listsInTimeBytes,
  });
  return {
    ...stored,
    log,
    presence,
    publisher,
    listsInTime,
    upstreamFiles,
    upstreamAnswers,
    gateOf: (settings) => gateOf(settings),
    source,
    fileWork: (name) => ({
      database,
      directory: config.directory,
      http: source(name).found,
      gate: gateOf(source(name).config),
      clock: upstreamClock,
      log,
    }),
    sources: (names) => (names && names.length > 0 ? names : Object.keys(config.sources)).map(source),
    sets: () => [...stored.jointSets(), ...Object.keys(config.sources).flatMap((name) => setsOf(name))],
    replaceSources: async (next) => {
      const changes = await stored.replaceSources(next);
      for (const name of [...changes.removed, ...changes.changed.map((source) => source.name)]) {
        // Its clients stay until the end: a run may be using them.
        opened.delete(name);
        upstreamFiles.forget(name);
      }
      return changes;
    },
    close: async () => {
      await listsInTime.close();
      await Promise.all([...clients, upstreamFiles].map((client) => client.close()));
      await threads?.close();
      await shared.close();
      await presence.close();
      await stored.close();
    },
  };
}

/** What an adapter sees of a source's configuration. */
export function adapterSettings(source: SourceConfig): AdapterSettings {
  const { url, collections, overlapSeconds, requestsPerHost, pageSize, files } = source;
  const { login, entityTypes, timeZone, oai, resourcesync } = source;
  return {
    url,
    formats: ownFormats(source),
    collections,
    overlapSeconds,
    requestsPerHost,
    pageSize,
    files: files.mode === 'none' ? undefined : { from: files.from, bundles: files.bundles },
    identity: source.identity as Identity,
    login,
    entityTypes,
    timeZone,
    oaiUrl: upstreamOai(oai),
    oaiFormats: oaiFormats(source),
    crosswalk: source.crosswalk,
    resourcesync,
  };
}

/** DSpace brings the index of its OAI-PMH up to date at night; with dates of the day before. */
const oaiLagSeconds = 2 * 86_400;

/** The OAI-PMH endpoint beside a DSpace, for what it alone knows. */
export function oaiSettings(source: SourceConfig, url: string): AdapterSettings {
  const formats = oaiFormats(source);
  const { collections, requestsPerHost, overlapSeconds, pageSize } = source;
  return {
    url,
    formats: formats === 'known' ? undefined : formats,
    collections,
    overlapSeconds: Math.max(overlapSeconds, oaiLagSeconds),
    requestsPerHost,
    pageSize,
    files: undefined,
  };
}

export function httpSettings(source: SourceConfig, config: Pick<Config, 'contact' | 'baseUrl' | 'network'>) {
  const contact = source.contact ?? config.contact;
  return {
    endpoint: source.url,
    trusted: source.privateHost,
    // DSpace and other repositories do not count the downloads of what calls itself so.
    userAgent: `${productName}/${version} (harvester bot; +${contact ?? config.baseUrl})`,
    contact,
    headers: source.headers,
    requestsPerHost: source.requestsPerHost,
    timeoutSeconds: source.timeoutSeconds,
    maxResponseBytes: source.maxResponseBytes,
    slowestRate: { graceSeconds: 120, bytesPerSecond: source.slowestBytesPerSecond },
    allowPrivateAddresses: source.allowPrivateAddresses,
    allow: config.network.allow,
  };
}

/** How files are fetched on demand: as anybody would, with no header of what is configured for the endpoint. */
export function upstreamFileSettings(source: SourceConfig, config: Config): UpstreamFileSource {
  const { endpoint, trusted, userAgent, contact, allowPrivateAddresses, slowestRate } = httpSettings(
    source,
    config,
  );
  return {
    endpoint,
    trusted,
    allow: config.network.allow,
    allowPrivateAddresses,
    userAgent,
    contact,
    connections: source.files.proxyConnections,
    share: source.files.proxyShare,
    slowestRate,
  };
}

/** Below an endpoint; below the folder of a list. */
function isBelow(uri: string, endpoint: string): boolean {
  const base = endpoint.replace(/\/[^/]*\.xml$/, '').replace(/\/+$/, '');
  return uri.startsWith(base) && /^(?:$|[/?#])/.test(uri.slice(base.length));
}

/** At least one each: a process without any could serve no file. */
function dividedAmong(processes: number, settings: UpstreamFileSource): UpstreamFileSource {
  return { ...settings, connections: Math.max(1, Math.floor(settings.connections / processes)) };
}
