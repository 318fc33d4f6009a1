import type { TestProject } from 'vitest/node';
import { startPostgres } from './server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of a server on which tests may create and drop databases; empty where there is none. */
    postgresUrl: string;
  }
}

/** One PostgreSQL for the whole run: `TEST_POSTGRES_URL`, or one that we start. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given) {
    project.provide('postgresUrl', given);
    return undefined;
  }
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
