import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/postgres/setup.ts'],
    // A hang ends; a busy machine is none.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    // More than there are cores of a small machine, for much of what is tested is waiting.
    maxWorkers: 3,
    reporters: ['default', './test/closing-line.ts'],
  },
});
