import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { onServer } from './prepared.ts';

/** A database of its own for one test file, as its configuration and opened. */
export interface TestDatabase {
  readonly config: DatabaseConfig;
  /** Migrated and empty. */
  readonly database: Database;
}

const kinds = ['sqlite', 'pg'] as const;

/** One test body, both databases. `open()` may be called inside tests only. */
export function describeOnBoth(title: string, body: (open: () => TestDatabase) => void): void {
  describe.each(kinds)(`${title} on %s`, (kind) => {
    let opened: TestDatabase | undefined;
    let drop: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      const made = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
      drop = made.drop;
      opened = { config: made.config, database: openDatabase(made.config) };
    });
    afterAll(async () => {
      await opened?.database.close();
      await drop?.();
    });
    body(() => {
      if (!opened) throw new Error('open() outside of a test');
      return opened;
    });
  });
}

interface OwnDatabase {
  readonly config: DatabaseConfig;
  readonly drop: () => Promise<void>;
}

/** One that nothing has been done to. */
export function makeSqlite(): OwnDatabase {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-test-'));
  return {
    config: { client: 'sqlite', file: join(directory, 'test.db') },
    drop: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** One that nothing has been done to. */
export function makePostgres(): Promise<OwnDatabase> {
  return createPostgres('');
}

export function migratedSqlite(): OwnDatabase {
  const { config, drop } = makeSqlite();
  if (config.client === 'sqlite') placeMigrated(config.file);
  return { config, drop };
}

export function migratedPostgres(): Promise<OwnDatabase> {
  return createPostgres(` template ${inject('postgresTemplate')} strategy file_copy`);
}

/** Puts a migrated and empty database there. @returns where */
export function placeMigrated(file: string): string {
  copyFileSync(inject('sqliteTemplate'), file);
  return file;
}

async function createPostgres(like: string): Promise<OwnDatabase> {
  const url = new URL(inject('postgresUrl'));
  const name = `rsbridge_test_${randomBytes(6).toString('hex')}`;
  await onServer(url, `create database ${name}${like}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    config: { client: 'pg', url: own.href, poolSize: 5 },
    drop: () => onServer(url, `drop database ${name} with (force)`),
  };
}
