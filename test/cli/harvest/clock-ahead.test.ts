import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { loadConfig } from '../../../src/bridge/config/load-config.ts';
import { readMeasures } from '../../../src/bridge/state/measures.ts';
import { overviewsOf, readKnown } from '../../../src/bridge/state/overview.ts';
import { openStored } from '../../../src/bridge/stored-bridge.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { plansOf, workOf } from '../../../src/bridge/work/due-plans.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { planWork } from '../../../src/store/runs/due.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const minute = 60_000;
const month = 30 * 24 * 60 * minute;

describeOnBoth('after a clock that was ahead', (open) => {
  const repository = createSampleRepository({ clock: systemClock, records: 6 });
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-ahead-'));
    const { url } = await repository.listen(0);
    const source = { url, schedule: '0 * * * *', files: { mode: 'none' } };
    const sources = { sample: source, other: source };
    const config = { database: open().config, directory: 'data', sources };
    writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify(config));
    const { code, stderr } = await runMain(directory, ['harvest']);
    expect(code, stderr).toBe(0);
  });
  afterAll(async () => {
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function looked() {
    const bridge = await openStored(loadConfig({}, {}, directory), 'check');
    try {
      const known = await readKnown(bridge);
      const { sources } = await readMeasures(bridge, known);
      const [overview] = overviewsOf(bridge, known).filter(({ name }) => name === 'sample');
      return { overview, measured: sources.find(({ name }) => name === 'sample') };
    } finally {
      await bridge.close();
    }
  }

  /** As it is when all has been done and planned by a clock that was so far ahead. */
  async function wasAhead(ms: number) {
    const { database } = open();
    const at = Date.now() + ms;
    const iso = new Date(at).toISOString().replace(/\.\d+Z/, 'Z');
    await database.writer('source').update({ last_success_at: iso, last_full_at: iso });
    await database.writer('run').update({ ended_at: iso });
    await database.writer('due').delete();
    await planWork(
      database,
      workOf(plansOf(loadConfig({}, {}, directory)), at, () => false),
      at,
    );
  }

  test('seconds between clocks are nothing', async () => {
    await wasAhead(30_000);
    expect((await looked()).overview).toMatchObject({ healthy: true, word: 'ok' });
    expect(await runMain(directory, ['status', 'sample'])).toMatchObject({ code: 0 });
  });

  test('a source is not well, and a harvest by hand brings its schedule and that of the others back', async () => {
    await wasAhead(month);
    const { overview, measured } = await looked();
    expect(overview).toMatchObject({ healthy: false, word: 'attention' });
    expect(overview?.state).toMatch(/its last success is dated 20.*, which is in the future/);
    expect(overview?.state).not.toContain('up to date');
    // Since when it is known: nobody can tell when it was well last.
    expect(measured?.goodSince).toBeLessThanOrEqual(Date.now());
    const status = await runMain(directory, ['status', 'sample', '--json']);
    expect(status.code).toBe(4);
    const [line = ''] = status.stdout.split('\n');
    expect(JSON.parse(line)).not.toHaveProperty('ageSeconds');

    const harvested = await runMain(directory, ['harvest', 'sample']);
    expect(harvested.code, harvested.stderr).toBe(0);
    const due: { due_at: number }[] = await open()
      .database.reader('due')
      .where({ kind: 'harvest' })
      .select('due_at');
    expect(due).toHaveLength(2);
    for (const { due_at } of due) expect(due_at - Date.now()).toBeLessThanOrEqual(60 * minute);
    // The full pass before it is no later than it is.
    expect((await looked()).overview).toMatchObject({ healthy: true, word: 'ok' });
    const { code, stdout } = await runMain(directory, ['status', 'other']);
    expect(code).toBe(4);
    expect(stdout).toMatch(/last success 20\S+ \(in the future\)/);
  });
});
