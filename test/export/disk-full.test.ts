import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resourceSets } from '../../src/core/resource-set.ts';
import { exportPublication } from '../../src/export/export.ts';
import { createPublisher } from '../../src/publish/publisher.ts';
import { type Database, openDatabase } from '../../src/store/engine/database.ts';
import { packBlob } from '../../src/store/payloads/blobs.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { onePage } from '../house/one-page.ts';
import { baseUrl, HandClock, seedChanges, seedSource, silent } from '../house/publish/seed.ts';

/** A file system of 256 kB, where we may make one; else the test says that it was skipped. */
const place = mkdtempSync(join(tmpdir(), 'rsbridge-full-'));
const small = join(place, 'small');
mkdirSync(small);
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', small]).status === 0;
if (!mounted) process.stderr.write('SKIPPED: a full disk needs the right to mount a small one\n');

afterAll(() => {
  if (mounted) spawnSync('umount', [small]);
  rmSync(place, { recursive: true, force: true });
});

describe.skipIf(!mounted)('a disk that is full', () => {
  let database: Database;
  beforeAll(async () => {
    database = openDatabase({ client: 'sqlite', file: join(place, 'test.db') });
    await migrate(database);
    await seedSource(database, 'kyushu');
    const changes = Array.from({ length: 60 }, (_, index) => ({
      name: `oai:${index}`,
      at: '2026-01-02T00:00:00Z',
    }));
    await seedChanges(database, 'kyushu', changes);
    const clock = new HandClock('2026-01-03T00:00:00Z');
    const publisher = createPublisher({ database, directory: place, baseUrl, clock, log: silent });
    const [set] = resourceSets('kyushu');
    if (set) await publisher.publish(set, { resourceList: 'always' });
  });
  afterAll(() => database.close());

  const run = (target: string) =>
    exportPublication({
      ...{ database, directory: place, target, apart: [], baseUrl, log: silent },
      pages: onePage(Buffer.alloc(8192)),
      fileMode: () => 'proxy',
    });

  test('is said, no list is out, and there is no half file; the next run completes it', async () => {
    for (const row of await database.reader('resource').select('id')) {
      const bytes = Buffer.from(`${row.id} `.repeat(2000));
      const hash = `sha-256:${createHash('sha256').update(bytes).digest('hex')}`;
      await database.writer('blob').insert({ ...packBlob(hash, bytes) });
      await database.writer('resource').where({ id: row.id }).update({ hash, length: bytes.length });
    }
    await expect(run(small)).rejects.toMatchObject({ code: 'disk-full' });
    expect(existsSync(join(small, 'kyushu/resourcelist.xml'))).toBe(false);
    expect(readdirSync(join(small, '.rsbridge-export'))).toEqual([]);
    spawnSync('mount', ['-o', 'remount,size=8m', small]);
    expect(await run(small)).toMatchObject({ missing: 0 });
    expect(existsSync(join(small, 'kyushu/resourcelist.xml'))).toBe(true);
    expect(readdirSync(join(small, 'kyushu/items'))).toHaveLength(60);
  });
});
