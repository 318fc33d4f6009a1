import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const tests = process.env.MUTANTS_TESTS ?? 'test';
const uncounted = join(import.meta.dirname, 'uncounted-steps.ts');

/** The tests of one room in one process: `run.mjs` says which. Those of the store alone need databases. */
export default defineConfig({
  resolve: { alias: [{ find: /^.*\/house\/process\/steps\.ts$/, replacement: uncounted }] },
  test: {
    include: [`${tests}/**/*.test.ts`],
    globalSetup: tests.startsWith('test/store') ? ['test/house/postgres/setup.ts'] : [],
    env: { TEST_RUNS: '1' },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    isolate: false,
    restoreMocks: true,
    // What fails once on a busy machine is no mutant noticed.
    retry: 1,
  },
});
