import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resourceSets } from '../../src/core/resource-set.ts';
import { type ExportProgress, exportPublication } from '../../src/export/export.ts';
import { createPublisher } from '../../src/publish/publisher.ts';
import { onePage } from '../house/one-page.ts';
import { baseUrl, HandClock, seedChanges, seedSource, silent } from '../house/publish/seed.ts';
import { describeOnBoth } from '../house/store/databases.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-export-progress-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

let sources = 0;

describeOnBoth('an export says', (open) => {
  test('of each phase how far it is, and of how many from its beginning', async () => {
    const { database } = open();
    sources += 1;
    const source = `s${sources}`;
    await seedSource(database, source);
    const seed = async (...names: readonly string[]) => {
      const changes = names.map((name) => ({ name, at: '2026-01-02T00:00:00Z' }));
      await seedChanges(database, source, changes);
      // What a harvest keeps count of.
      await database.writer('source').where({ name: source }).increment('resource_count', names.length);
    };
    await seed('a', 'b', 'c');
    const clock = new HandClock('2026-01-03T00:00:00Z');
    const publisher = createPublisher({ database, directory, baseUrl, clock, log: silent });
    const sets = resourceSets(source);
    const publish = async () => {
      for (const set of sets.slice(0, 1)) await publisher.publish(set, { resourceList: 'always' });
    };
    const told: ExportProgress[] = [];
    const settings = {
      ...{ database, directory, apart: [], baseUrl, log: silent },
      pages: onePage(Buffer.from('page')),
      fileMode: () => 'proxy' as const,
      onProgress: (progress: ExportProgress) => told.push(progress),
    };
    const phases = () => {
      const last = new Map(told.map(({ phase, done, total }) => [phase, `${done} of ${total}`]));
      return Object.fromEntries(last);
    };
    await publish();
    await exportPublication({ ...settings, target: join(directory, 'www') });
    expect(told[0]).toMatchObject({ phase: 'resources', done: 0, total: 3 });
    const { documents, ...others } = phases();
    expect(others).toEqual({ resources: '3 of 3', changes: '3 of 3', pages: '3 of 3' });
    expect(documents).toMatch(/^([1-9]\d*) of \1$/);
    // Nothing was there before; where there was, what has to go is looked for.
    await exportPublication({ ...settings, target: join(directory, 'www'), full: true });
    expect(phases().removals).toMatch(/ of undefined$/);

    told.length = 0;
    await seed('d', 'e');
    await publish();
    await exportPublication({ ...settings, target: join(directory, 'www') });
    expect(told[0]).toMatchObject({ phase: 'resources', done: 0, total: 2 });
    expect(phases()).toMatchObject({ resources: '2 of 2' });
    expect(phases()).not.toHaveProperty('pages');
  });
});
