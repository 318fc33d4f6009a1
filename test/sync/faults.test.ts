import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { allFaults } from '../../src/simulate/faults/catalogue.ts';
import { Copy } from '../house/sync/copy.ts';
import { LivingSource } from '../house/sync/living-source.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Longer than anything waits for its next attempt. */
const longSeconds = 100_000;
/** No test waits for an answer that never comes. */
const faults = allFaults.filter(({ name }) => name !== 'silent');

let copy: Copy;
let source: LivingSource;
afterEach(async () => {
  copy.end();
  await source.close();
});

async function begin(name: string[], settings = {}): Promise<void> {
  source = await LivingSource.open({ seed: 7, resources: 45, size: 400, ...settings }, name);
  copy = new Copy(source);
}

/** Until the copy is content, or so often: whatever comes of a run, the next one goes on. */
async function follow(): Promise<void> {
  for (let run = 0; run < 6; run += 1) {
    source.pass(longSeconds);
    const report = await copy
      .sync({ set: `${source.origin}/capabilitylist.xml` })
      .catch(() => copy.sync())
      .catch(() => undefined);
    if (report?.isComplete) return;
  }
}

const copied = () => Object.values(copy.contents()).sort();

describe('whatever is wrong with a Source, its copy is the same', () => {
  test.each(faults.filter(({ outcome }) => outcome === 'same'))('$name: $what', async ({ name }) => {
    await begin([name]);
    await follow();
    expect(copied()).toEqual(source.contents());
    for (let round = 0; round < 2; round += 1) {
      source.step(8);
      await follow();
      expect(copied()).toEqual(source.contents());
    }
    expect(existsSync(join(copy.directory, '..', 'climbed'))).toBe(false);
  });
});

describe('whatever is wrong with a Source, nothing of its copy is lost, and it is the same afterwards', () => {
  test.each(faults.filter(({ outcome }) => outcome !== 'same'))('$name: $what', async ({ name }) => {
    await begin([]);
    await follow();
    const before = source.contents();
    source.setFaults([name]);
    source.step(8);
    await follow();
    const unchanged = source.contents().filter((content) => before.includes(content));
    expect(copied()).toEqual(expect.arrayContaining(unchanged));
    expect(source.strangersAmong(copied())).toEqual([]);
    source.heal();
    source.pass(longSeconds);
    const report = await copy.sync({ way: 'audit', maximumDeletions: 100 });
    expect(report).toMatchObject({ isComplete: true, failures: [] });
    expect(copied()).toEqual(source.contents());
  });
});
