import { defineConfig } from 'vitest/config';

/** The tests of one room in one process: `run.mjs` says which. Those of the store alone need databases. */
const setup = process.env.MUTANTS_TESTS?.startsWith('test/store') ? 'house/postgres' : 'mutants';

export default defineConfig({
  test: {
    include: [`${process.env.MUTANTS_TESTS}/**/*.test.ts`],
    globalSetup: [`test/${setup}/setup.ts`],
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
