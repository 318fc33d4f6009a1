import type { TestProject } from 'vitest/node';
import { compileSource } from '../process/compiled.ts';
import { prepareDatabases } from '../store/prepared.ts';
import { startPostgres } from './server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of a server on which tests may create and drop databases. */
    postgresUrl: string;
    /** The name of a database on that server which is migrated and empty: what tests begin with is a copy of it. */
    postgresTemplate: string;
    /** The same as a file of SQLite. */
    sqliteTemplate: string;
    /** Where `rsbridge` is compiled, with the scripts that tests run in processes of their own. */
    compiled: string;
  }
}

/**
 * Nothing has to outlive a crash, nothing is replicated, and no statement runs long enough to be compiled. All of it is in memory, where
 * an index costs no more to read than the table: else tables that nothing is known of yet are read from end to end for each row.
 */
const shortLived = {
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  autovacuum_naptime: '600s',
  jit: 'off',
  random_page_cost: 1,
};

/** Once for the whole run: a PostgreSQL (`TEST_POSTGRES_URL`, or one that we start), migrated databases, and compiled code. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const compiled = compileSource();
  const given = process.env.TEST_POSTGRES_URL;
  const server = given ? undefined : await startPostgres(shortLived);
  const url = server?.url ?? given ?? '';
  const databases = await prepareDatabases(url);
  project.provide('postgresUrl', url);
  project.provide('postgresTemplate', databases.postgresTemplate);
  project.provide('sqliteTemplate', databases.sqliteTemplate);
  project.provide('compiled', (await compiled).directory);
  return async () => {
    await databases.drop();
    await server?.stop();
    await (await compiled).drop();
  };
}
