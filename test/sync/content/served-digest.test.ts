import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { capabilityList, resourceList, WrittenSource } from '../../house/resourcesync/written-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let source: WrittenSource;
let copy: Copy;

const digestOf = (text: string) => ({
  'repr-digest': `sha-256=:${createHash('sha256').update(text).digest('base64')}:`,
});

beforeEach(async () => {
  source = await WrittenSource.open();
  source.put('/.well-known/resourcesync', capabilityList(source.origin, { resourcelist: '/list.xml' }));
  // Its list says nothing by which bytes could be judged.
  source.put('/list.xml', resourceList(`<url><loc>${source.origin}/a</loc></url>`));
  copy = new Copy({ origin: source.origin, now: '2026-11-02T00:00:00Z' });
});
afterEach(async () => {
  copy.end();
  await source.close();
});

test('bytes that are not what their server sent are not taken, and come with the next run', async () => {
  source.put('/a', 'damaged', { headers: digestOf('whole') });
  expect(await copy.sync()).toMatchObject({
    copied: { created: 0, failed: 1 },
    failures: [{ reason: expect.stringContaining('it arrived damaged') }],
  });
  expect(copy.contents()).toEqual({});
  source.put('/a', 'whole', { headers: digestOf('whole') });
  await copy.sync();
  expect(copy.contents()).toEqual({ a: 'whole' });
});
