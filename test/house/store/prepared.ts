import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { divideAmong } from './fewer-partitions.ts';

/** Databases that are migrated once, and copied by the tests. */
export interface PreparedDatabases {
  readonly postgresTemplate: string;
  readonly sqliteTemplate: string;
  drop(): Promise<void>;
}

export async function prepareDatabases(postgresUrl: string): Promise<PreparedDatabases> {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-template-'));
  const file = join(directory, 'migrated.db');
  const name = `rsbridge_template_${randomBytes(6).toString('hex')}`;
  const url = new URL(postgresUrl);
  await onServer(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  for (const config of [
    { client: 'sqlite', file } as const,
    { client: 'pg', url: own.href, poolSize: 1 } as const,
  ]) {
    const database = openDatabase(config);
    await migrate(database);
    if (config.client === 'pg') await divideAmong(database, 4);
    await database.close();
  }
  return {
    postgresTemplate: name,
    sqliteTemplate: file,
    drop: async () => {
      await onServer(url, `drop database ${name} with (force)`);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export async function onServer(url: URL, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
