import { afterAll, beforeAll } from 'vitest';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { makeSqlite } from '../store/databases.ts';

/** A SQLite of a suite's own, open from its first test to its last. */
export function suiteDatabase(): () => Database {
  const { config, drop } = makeSqlite();
  let database: Database;
  beforeAll(async () => {
    database = openDatabase(config);
    await migrate(database);
  });
  afterAll(async () => {
    await database.close();
    await drop();
  });
  return () => database;
}
