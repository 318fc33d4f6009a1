import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/house/longest-first.ts';
import { asCompiled } from './test/house/process/as-compiled.ts';

/**
 * `npm test`, or `npm run test:long` for many more cases of the tests that draw them at random, and those alone. `TEST_RUNS` says how
 * many times as many.
 */
export default defineConfig(({ mode }) => {
  const isLong = mode === 'long';
  const runs = process.env.TEST_RUNS ?? (isLong ? '3' : '1');
  return {
    plugins: [asCompiled()],
    test: {
      include: isLong ? drawing() : ['test/**/*.test.ts'],
      env: { TEST_RUNS: runs },
      globalSetup: ['test/house/postgres/setup.ts'],
      // A hang ends; a busy machine is none.
      testTimeout: Number(runs) > 1 ? 1_800_000 : 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 120_000 } },
      pool: 'forks',
      // Of 250 processes each would load and warm up the same code again.
      isolate: false,
      sequence: { sequencer: LongestFirst },
      restoreMocks: true,
      // More than two to a core of a small machine, for much of what is tested is waiting.
      maxWorkers: 5,
      reporters: ['default', './test/house/closing-line.ts'],
    },
  };
});

function drawing(): string[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => readFileSync(file, 'utf8').includes('import { runs } from'));
}
