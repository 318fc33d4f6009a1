import type { Clock } from '../core/adapter.ts';
import type { Config } from '../core/config/config.ts';
import { type ResourceSet, resourceSets } from '../core/resource-set.ts';
import { openPublication, type Publication } from '../publish/published/publication.ts';
import { type Database, openDatabase } from '../store/engine/database.ts';
import { checkSchema, migrate } from '../store/engine/migrate.ts';
import { checkPlaces } from './config/writable.ts';
import { dieBySignals } from './signals.ts';
import { systemClock } from './system-clock.ts';
import { takeoverTalk } from './takeover-talk.ts';

/**
 * What is stored and what is published. A command that asks no repository and publishes nothing needs no more, and
 * begins sooner without the rest.
 */
export interface StoredBridge {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly publication: Publication;
  /** @param title where the configuration has none */
  setsOf(source: string, title?: string): readonly ResourceSet[];
  close(): Promise<void>;
}

/** @param schema what to do about the database's schema */
export async function openStored(config: Config, schema: 'migrate' | 'check'): Promise<StoredBridge> {
  if (schema === 'migrate') checkPlaces(config);
  const database = openDatabase(config.database);
  try {
    if (schema === 'migrate')
      await (database.client === 'sqlite'
        ? dieBySignals(() => migrate(database, takeoverTalk()))
        : migrate(database, takeoverTalk()));
    if (schema === 'check') await checkSchema(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    config,
    database,
    clock: systemClock,
    publication: openPublication(config.directory),
    setsOf: (name, title) => {
      const settings = config.sources[name];
      return settings ? resourceSets(name, { ...settings, title: settings.title ?? title }) : [];
    },
    close: () => database.close(),
  };
}
