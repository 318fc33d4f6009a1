import { isDeepStrictEqual } from 'node:util';
import { hiddenCollections, privateSetOf } from '../core/access/private-sets.ts';
import type { Clock } from '../core/adapter.ts';
import type { Config, SourceConfig } from '../core/config/config.ts';
import { jointSets } from '../core/config/joint-sets.ts';
import { toIso } from '../core/datetime.ts';
import type { ObjectStore } from '../core/payloads/object-store.ts';
import { type ResourceSet, resourceSets } from '../core/resource-set.ts';
import { openPublication, type Publication } from '../publish/published/publication.ts';
import { type Database, forAnswers, openDatabase } from '../store/engine/database.ts';
import { takePrivateSets } from '../store/removal/private-items.ts';
import { takePrivateParts } from '../store/removal/shared-withdrawals.ts';
import { lookAtClock } from '../store/runs/clock-ahead.ts';
import { checkSchema, migrate } from '../store/schema/migrate.ts';
import { listKeptSources } from '../store/sources/kept-sources.ts';
import { type Pause, readPauses } from '../store/sources/pauses.ts';
import { listMarkedPrivate, markPrivate } from '../store/sources/private-sources.ts';
import { withKept } from './config/kept-config.ts';
import { type ConfigChanges, liveConfig } from './config/live-config.ts';
import { type Origins, originsOf } from './config/origins.ts';
import { checkPlaces } from './config/writable.ts';
import type { ObjectStorage } from './object-storage.ts';
import { dieBySignals } from './signals.ts';
import { systemClock } from './system-clock.ts';
import { sayMigrated, takeoverTalk } from './takeover-talk.ts';

/**
 * What is stored and what is published. A command that asks no repository and publishes nothing needs no more, and
 * begins sooner without the rest.
 */
export interface StoredBridge {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly publication: Publication;
  /** Where the configuration has one. */
  readonly objects: ObjectStore | undefined;
  /** Where its settings come from that have not their defaults; of sources as they were read last. */
  origins(): Origins;
  /** Of sources in the database that were not used when it was opened, a sentence each. */
  readonly problems: readonly string[];
  /** A source that is to be left alone now, whatever its schedule says. */
  pauseOf(source: string): Pause | undefined;
  /** Has this process work by its configuration as it is now; resolves when it does. */
  reload(): Promise<void>;
  /** Whoever reads it again when somebody wants that. */
  onReload(listener: () => Promise<void>): void;
  /**
   * Takes the sources of a configuration, with those of the database. The one that was taken last, once more: what others have read since
   * counts (`hasOtherMarks`), and nothing is said of it to them.
   */
  replaceSources(next: Config): Promise<SourceChanges>;
  /** The configuration that was taken last. */
  latest(): Config;
  /**
   * Whether others have read a configuration since by which a source is private that is not so here, or is no more. It is private
   * here, too, whatever was read, as soon as the configuration is taken again.
   */
  hasOtherMarks(): Promise<boolean>;
  /** Sets across sources. */
  jointSets(): readonly ResourceSet[];
  /** @param title where the configuration has none */
  setsOf(source: string, title?: string): readonly ResourceSet[];
  close(): Promise<void>;
}

export interface SourceChanges extends ConfigChanges {
  /** Of sources in the database that are not used, a sentence each. */
  readonly problems: readonly string[];
}

/** @param schema what to do about the database's schema */
export async function openStored(given: Config, schema: 'migrate' | 'check'): Promise<StoredBridge> {
  const { config, ...live } = liveConfig(given);
  if (schema === 'migrate') checkPlaces(config);
  const database = openDatabase(config.database);
  let problems: readonly string[] = [];
  let latest: Config | undefined;
  let asRead = given;
  /** Private by what others have read. */
  let marked: readonly string[] = [];
  let taking: Promise<unknown> = Promise.resolve();
  try {
    if (schema === 'migrate')
      await (database.client === 'sqlite'
        ? dieBySignals(() => migrate(database, takeoverTalk(), { onMigrated: sayMigrated }))
        : migrate(database, takeoverTalk(), { onMigrated: sayMigrated }));
    if (schema === 'check') await checkSchema(database);
    await lookAtClock(database);
    ({ problems } = await replaceSources(given));
  } catch (error) {
    await database.close();
    throw error;
  }
  const storage = await openStorage(config, database);
  let reload = async (): Promise<void> => undefined;
  /** One after the other: one that is taken once more does not take the place of one that came meanwhile. */
  function replaceSources(next: Config): Promise<SourceChanges> {
    const isNews = next !== latest;
    const taken = taking.then(() => take(isNews ? next : (latest ?? next), isNews));
    taking = taken.catch(() => undefined);
    return taken;
  }
  async function take(next: Config, isNews: boolean): Promise<SourceChanges> {
    const kept = withKept(next, await listKeptSources(database.reader));
    const pauses = await readPauses(database.reader, toIso(systemClock.now()));
    // Before anything of them is there to be served.
    if (schema === 'migrate' && isNews) {
      await markPrivate(database, privacyOf(kept.config));
      const now = toIso(systemClock.now());
      await takePrivateSets(database, hiddenOf(kept.config), now);
      const { parts, others } = partsOf(kept.config);
      await takePrivateParts(database, parts, others, now);
    }
    [latest, asRead] = [next, kept.config];
    marked = await otherMarks();
    return { ...live.replaceSources(asMarked(asRead, marked), pauses), problems: kept.problems };
  }
  async function otherMarks(): Promise<readonly string[]> {
    const { sources } = asRead;
    const names = await listMarkedPrivate(database.reader);
    return names.filter((name) => Object.hasOwn(sources, name) && sources[name]?.access === undefined);
  }
  return {
    config,
    database,
    clock: systemClock,
    publication: openPublication(config.directory),
    objects: storage?.store,
    pauseOf: (source) => live.pauseOf(source, toIso(systemClock.now())),
    replaceSources,
    latest: () => latest ?? given,
    // Whether the database answers, others tell.
    hasOtherMarks: async () => !isDeepStrictEqual(await otherMarks().catch(() => marked), marked),
    reload: () => reload(),
    onReload: (listener) => {
      reload = listener;
    },
    origins: () => inForce(originsOf(given), originsOf(latest ?? given)),
    problems,
    jointSets: createJointSets(config),
    setsOf: createSetsOf(config),
    close: async () => {
      storage?.close();
      await database.close();
    },
  };
}

/**
 * The same for a command that only reads: each statement is asked of a replica that has replayed all that was committed
 * before, and of the primary where there is none.
 */
export async function forReading<Opened extends StoredBridge>(bridge: Opened): Promise<Opened> {
  // A server finds out beside its work how they are; a command is over by then.
  await bridge.database.answers.lookAtReplicas();
  return { ...bridge, database: forAnswers(bridge.database) };
}

function privacyOf({ sources }: Config): ReadonlyMap<string, { readonly isPrivate: boolean }> {
  return new Map(
    Object.entries(sources).map(([name, { access }]) => [name, { isPrivate: access !== undefined }]),
  );
}

const closed = new WeakMap<SourceConfig, SourceConfig>();

/** A configuration by which these sources are private, too. */
function asMarked(config: Config, names: readonly string[]): Config {
  if (names.length === 0) return config;
  const sources = { ...config.sources };
  for (const name of names) {
    const settings = sources[name];
    if (!settings) continue;
    // The same settings have the same sets.
    const known = closed.get(settings) ?? { ...settings, access: {} };
    closed.set(settings, known);
    sources[name] = known;
  }
  return { ...config, sources };
}

function hiddenOf({ sources }: Config): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(sources).map(([name, source]) => [name, hiddenCollections(source)]));
}

/** Sources that are private sets, with whose they are, and those that are none. */
function partsOf({ sources }: Config) {
  const names = Object.keys(sources);
  const parts = new Map(
    names.flatMap((name) => {
      const part = privateSetOf(sources, name);
      return part ? [[name, part.source] as const] : [];
    }),
  );
  return { parts, others: new Set(names.filter((name) => !parts.has(name))) };
}

/** What is not said of sources counts as it was at the start. */
function inForce(first: Origins, latest: Origins): Origins {
  const isOfSource = ([path]: readonly [string, unknown]) => /^(?:sources|groups|sets)\./.test(path);
  return new Map([...[...first].filter((one) => !isOfSource(one)), ...[...latest].filter(isOfSource)]);
}

/** Most have none: what it needs is not loaded then. */
async function openStorage(config: Config, database: Database): Promise<ObjectStorage | undefined> {
  if (!config.storage.s3) return undefined;
  const { openObjectStorage } = await import('./object-storage.ts');
  return openObjectStorage(config, systemClock, database);
}

/** Made once for each configuration: of 800 sources they are not to be made for each request. */
function createJointSets(config: Config): StoredBridge['jointSets'] {
  let known: { of: readonly unknown[]; sets: readonly ResourceSet[] } | undefined;
  return () => {
    const { sets, sources } = config;
    if (known?.of[0] !== sets || known.of[1] !== sources)
      known = { of: [sets, sources], sets: jointSets(sets, sources) };
    return known.sets;
  };
}

/** Every request asks: a source of the same settings has the same sets. */
function createSetsOf(config: Config): StoredBridge['setsOf'] {
  const known = new WeakMap<SourceConfig, { title: string | undefined; sets: readonly ResourceSet[] }>();
  return (name, title) => {
    const settings = config.sources[name];
    if (!settings) return [];
    const before = known.get(settings);
    const called = settings.title ?? title;
    if (before && before.title === called) return before.sets;
    const sets = resourceSets(name, { ...settings, title: called });
    known.set(settings, { title: called, sets });
    return sets;
  };
}
