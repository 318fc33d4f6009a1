import { defineConfig } from 'vitest/config';

/** The tests of one room, without a database, in one process: `run.mjs` says which. */
export default defineConfig({
  test: {
    include: [`${process.env.MUTANTS_TESTS}/**/*.test.ts`],
    globalSetup: ['test/mutants/setup.ts'],
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
