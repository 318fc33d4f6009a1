import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forCrowd } from '../../../src/core/either-signal.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { sitemapLimits } from '../../../src/core/sitemap.ts';
import { readSlices, totalLength } from '../../../src/publish/disk/slices.ts';
import { writeResourceDump } from '../../../src/publish/dump/resource-dump.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { moveContents, removeFormerFiles } from '../../../src/store/moves/moved-contents.ts';
import { movePayloads } from '../../../src/store/moves/moved-payloads.ts';
import { useBucket } from '../../../src/store/objects/object-contents.ts';
import type { ResourceEntry } from '../../../src/store/reading/listing.ts';
import { type FaultProxy, startFaultProxy } from '../../house/objects/fault-proxy.ts';
import { type OpenedStore, openStore } from '../../house/objects/opened.ts';
import { type ObjectServer, startVersitygw, versitygw } from '../../house/objects/versitygw.ts';
import { baseUrl, HandClock } from '../../house/publish/seed.ts';
import { hashOf, pagesOf, stock } from '../../house/publish/stocked-source.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = '2026-11-21T00:00:00Z';

describe.skipIf(!versitygw)('a Resource Dump of files and metadata in an object storage', () => {
  const home = mkdtempSync(join(tmpdir(), 'rsbridge-dump-'));
  const directory = join(home, 'publication');
  let server: ObjectServer;
  let proxy: FaultProxy;
  let opened: OpenedStore;
  beforeAll(async () => {
    mkdirSync(directory);
    server = await startVersitygw();
    proxy = await startFaultProxy(server.endpoint);
    use();
  });
  afterAll(async () => {
    useBucket(home, undefined);
    opened?.close();
    await proxy?.close();
    await server?.close();
    rmSync(home, { recursive: true, force: true });
  });

  function use(): void {
    opened?.close();
    opened = openStore(proxy.endpoint, { attempts: 2 });
    const bucket = { store: opened.store, takesNew: false, redirectSeconds: 0, now: () => at };
    useBucket(home, { ...bucket, payloadsAbove: 50_000 });
  }

  describeOnBoth('with its database', (connect) => {
    async function dump(database: Database, entries: readonly ResourceEntry[]): Promise<readonly string[]> {
      const [set] = resourceSets('kyushu');
      if (!set) throw new Error('a source has sets');
      const settings = { directory, dataDirectory: home, baseUrl, set, at, limits: sitemapLimits };
      const clock = new HandClock('2026-11-21T00:10:00Z');
      const { parts } = await database.snapshot((db) =>
        writeResourceDump(pagesOf(entries), { ...settings, packageBytes: 1e9, db, clock }),
      );
      const bytes = Object.values(parts).map(({ plain: { slices } }) =>
        buffer(readSlices(directory, slices, 0, totalLength(slices))),
      );
      return (await Promise.all(bytes)).map(hashOf);
    }

    test('has the bytes that it has from the disk, and is not made while they cannot be had', async () => {
      const { database } = connect();
      const entries: ResourceEntry[] = [];
      for (const length of [0, 70_000, 5_000_000, 12]) {
        const path = `kyushu/items/f/files/${entries.length}.pdf`;
        const file = { path, mediaType: 'application/pdf', content: randomBytes(length), large: true };
        entries.push(await stock(database, home, file));
      }
      // Metadata: what is read whole, and deflated there as it is in the package.
      for (const length of [20_000, 60_000, 500_000]) {
        const content = Buffer.from(randomBytes(length / 2).toString('hex'));
        entries.push(await stock(database, home, { path: `kyushu/items/${length}/oai_dc.xml`, content }));
      }
      const fromDisk = await dump(database, entries);
      const signal = forCrowd(new AbortController().signal);
      await moveContents({ database, directory: home, to: 's3', signal });
      expect(await removeFormerFiles({ database, directory: home, signal })).toBe(4);
      expect(await movePayloads({ database, directory: home, signal })).toMatchObject({ payloads: 2 });
      let cuts = 0;
      proxy.fault = () => (cuts++ === 2 ? { kind: 'cut', after: 1_000_000 } : undefined);
      expect(await dump(database, entries)).toEqual(fromDisk);
      const before = readdirSync(directory);
      proxy.fault = () => ({ kind: 'answer', status: 503, code: 'SlowDown' });
      for (const some of [entries, entries.slice(4)]) {
        // As another process would: this one has read them of late.
        use();
        await expect(dump(database, some)).rejects.toMatchObject({ code: 'objects-unavailable' });
        expect(readdirSync(directory)).toEqual(before);
      }
      proxy.fault = () => undefined;
    });
  });
});
