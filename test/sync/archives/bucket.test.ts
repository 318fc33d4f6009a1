import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBucket } from '../../../src/bridge/bucket.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { contentOf, type ObjectStore } from '../../../src/core/payloads/object-store.ts';
import {
  accessKeyId,
  type ObjectServer,
  secretAccessKey,
  startVersitygw,
  versitygw,
} from '../../house/objects/versitygw.ts';
import { ChangingSource } from '../../house/sync/changing-source.ts';
import { Copy, filesBelow } from '../../house/sync/copy.ts';

describe.skipIf(versitygw === undefined)('a copy in a bucket', () => {
  let server: ObjectServer;
  let source: ChangingSource;
  let copy: Copy;
  let store: ObjectStore;
  let close: () => void;

  const open = (address: string) => {
    const env = {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_ENDPOINT_URL: server.endpoint,
    };
    return openBucket(address, env, systemClock);
  };

  beforeEach(async () => {
    server = await startVersitygw();
    source = await ChangingSource.open();
    copy = new Copy(source);
    ({ store, close } = open(`s3://${server.bucket}/mirror`));
  });
  afterEach(async () => {
    close();
    copy.end();
    await source.close();
    await server.close();
  });

  const sync = () =>
    copy.sync({ sink: `s3://${server.bucket}/mirror`, maximumDeletions: 100 }, { openBucket: open });

  async function contents(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for await (const { key } of store.list('')) {
      const object = await store.get(key);
      const chunks: Uint8Array[] = [];
      for await (const chunk of object?.body ?? []) chunks.push(chunk as Uint8Array);
      found[key] = Buffer.concat(chunks).toString();
    }
    return found;
  }

  it('has an object for each resource, with its address, and a tombstone for what was deleted', async () => {
    source.put('/a.txt', 'first');
    source.put('/b/c%20d', 'gone soon');
    source.list();
    expect(await sync()).toMatchObject({ isComplete: true, copied: { created: 2 } });
    expect(await contents()).toEqual({ 'a.txt': 'first', 'b/c%20d': 'gone soon' });
    expect(await store.head('a.txt')).toMatchObject({
      metadata: { loc: `${source.origin}/a.txt`, lastmod: '2026-11-01T00:00:01Z' },
    });
    expect(filesBelow(copy.directory)).toEqual({});
    source.put('/a.txt', 'second');
    source.remove('/b/c%20d');
    await sync();
    const after = await contents();
    expect(after['a.txt']).toBe('second');
    expect(JSON.parse(after['.tombstones/b/c%20d.json'] ?? '')).toMatchObject({
      loc: `${source.origin}/b/c%20d`,
    });
    source.put('/b/c%20d', 'back');
    await sync();
    expect(await contents()).toEqual({ 'a.txt': 'second', 'b/c%20d': 'back' });
  });

  it("leaves another's object alone, and takes its own of before a crash", async () => {
    await store.put('a.txt', contentOf(Buffer.from("another's")));
    await store.put('b.txt', contentOf(Buffer.from('before the crash')), {
      metadata: { loc: `${source.origin}/b.txt` },
    });
    source.put('/a.txt', 'ours');
    source.put('/b.txt', 'B');
    source.list();
    const { failures, copied } = await sync();
    expect(copied).toMatchObject({ created: 1, failed: 1 });
    expect(failures).toMatchObject([{ reason: 'another object is in the bucket as a.txt' }]);
    expect(await contents()).toEqual({ 'a.txt': "another's", 'b.txt': 'B' });
    // Somebody else changed ours: it is not overwritten without being looked at.
    await store.delete('b.txt');
    await store.put('b.txt', contentOf(Buffer.from('theirs now')));
    source.put('/b.txt', 'B2');
    await sync();
    expect((await contents())['b.txt']).toBe('theirs now');
  });
});
