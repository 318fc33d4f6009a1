import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { sitemapLimits } from '../../../src/core/sitemap.ts';
import { readSlices, totalLength } from '../../../src/publish/disk/slices.ts';
import { writeResourceDump } from '../../../src/publish/dump/resource-dump.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { packAgainst, packBlob } from '../../../src/store/payloads/blobs.ts';
import type { ResourceEntry } from '../../../src/store/reading/listing.ts';
import { baseUrl, HandClock } from '../../house/publish/seed.ts';
import { hashOf, pagesOf, stock } from '../../house/publish/stocked-source.ts';
import { readZip } from '../../house/publish/zip-reading.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const [set] = resourceSets('kyushu');
let home: string;
let directory: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'rsbridge-dump-'));
  directory = join(home, 'publication');
  mkdirSync(directory);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function dump(database: Database, entries: readonly ResourceEntry[]): Promise<Buffer> {
  if (!set) throw new Error('a source has sets');
  const settings = { directory, dataDirectory: home, baseUrl, set, at: '2026-11-21T00:00:00Z' };
  const limits = { limits: sitemapLimits, packageBytes: 1e9, clock: new HandClock('2026-11-21T00:10:00Z') };
  const { parts } = await database.snapshot((db) =>
    writeResourceDump(pagesOf(entries), { ...settings, ...limits, db }),
  );
  const slices = Object.values(parts)[0]?.plain.slices ?? [];
  return buffer(readSlices(directory, slices, 0, totalLength(slices)));
}

describeOnBoth('a dump of what is stored as deltas', (connect) => {
  test('is, byte for byte, the dump of what is stored whole', async () => {
    const { database } = connect();
    const lines = Array.from({ length: 200 }, () => `<subject>${randomBytes(20).toString('hex')}</subject>`);
    const contents = Array.from({ length: 5 }, (_, index) =>
      Buffer.from(`<dc><title>${index}</title>${lines.with(index, '<subject/>').join('')}</dc>`),
    );
    const entries: ResourceEntry[] = [];
    for (const [index, content] of contents.entries()) {
      entries.push(await stock(database, home, { path: `kyushu/items/${index}/oai_dc.xml`, content }));
    }
    const whole = await dump(database, entries);
    const members = await readZip(whole);
    for (const [index, content] of contents.entries()) {
      expect(members.get(`items/${index}/oai_dc.xml`)?.equals(content)).toBe(true);
    }

    const [base = Buffer.alloc(0), ...others] = contents;
    const packed = packBlob(hashOf(base), base);
    const keyframe = { hash: packed.hash, content: base, packedLength: packed.data.byteLength };
    for (const content of others) {
      const delta = packAgainst(hashOf(content), content, keyframe);
      expect(delta.coding).toBe('delta');
      await database
        .writer('blob')
        .where({ hash: delta.hash })
        .update({ ...delta });
    }
    expect((await dump(database, entries)).equals(whole)).toBe(true);

    await database
      .writer('blob')
      .where({ hash: packed.hash })
      .update({ data: Buffer.alloc(9) });
    await expect(dump(database, entries.slice(2))).rejects.toMatchObject({
      code: 'content-damaged',
      message: expect.stringContaining('kyushu/items/2/oai_dc.xml'),
    });
  });
});
