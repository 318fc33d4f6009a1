import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Closes the output with `N passed, N failed, N skipped`, which every CI can read; the files that failed go into the file
 * that `FAILED_TESTS` names, a line each.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state] += 1;
      }
    }
    if (process.env.FAILED_TESTS) {
      const failed = modules.filter((module) => !module.ok());
      const lines = failed.map(({ moduleId }) => `${relative(process.cwd(), moduleId)}\n`);
      writeFileSync(process.env.FAILED_TESTS, lines.join(''));
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}
