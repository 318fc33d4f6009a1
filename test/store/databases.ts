import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { DatabaseConfig } from '../../src/core/config.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';

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
      const made = kind === 'sqlite' ? makeSqlite() : await makePostgres();
      drop = made.drop;
      opened = { config: made.config, database: openDatabase(made.config) };
      await migrate(opened.database);
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

export function makeSqlite(): { config: DatabaseConfig; drop: () => Promise<void> } {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-test-'));
  return {
    config: { client: 'sqlite', file: join(directory, 'test.db') },
    drop: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

export async function makePostgres(): Promise<{ config: DatabaseConfig; drop: () => Promise<void> }> {
  const url = new URL(inject('postgresUrl'));
  const name = `rsbridge_test_${randomBytes(6).toString('hex')}`;
  await onServer(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    config: { client: 'pg', url: own.href, poolSize: 5 },
    drop: () => onServer(url, `drop database ${name} with (force)`),
  };
}

async function onServer(url: URL, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
