import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench incremental [SIZE…]`: what 100 changes cost, harvest and publication (the Resource List's
 * snapshots apart), in repositories of 10,000, 100,000 and 1,000,000 resources.
 */
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 100_000, 1_000_000];

for (const size of sizes) {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
  const provider = start('upstreams/provider', [size, 1000]);
  try {
    const run = start('once/incremental-once', [await firstLine(provider), directory, 7]);
    print({ name: '100 changes', ...JSON.parse(await firstLine(run)) });
  } finally {
    provider.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}
