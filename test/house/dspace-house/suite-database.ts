import { afterAll, beforeAll } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { migratedSqlite } from '../store/databases.ts';

/** A SQLite of a suite's own, open from its first test to its last. */
export function suiteDatabase(): () => Database {
  const { config, drop } = migratedSqlite();
  let database: Database;
  beforeAll(async () => {
    database = openDatabase(config);
  });
  afterAll(async () => {
    await database.close();
    await drop();
  });
  return () => database;
}
