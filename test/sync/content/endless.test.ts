import { expect, test } from 'vitest';
import type { SyncProgress } from '../../../src/sync/sync-progress.ts';
import { ChangingSource } from '../../house/sync/changing-source.ts';
import { Copy } from '../../house/sync/copy.ts';

const mega = 1_000_000;

test('what goes on far beyond its stated length is refused, unless somebody says how long anything may be', async () => {
  const source = await ChangingSource.open();
  const copy = new Copy(source);
  let [sent, limit] = [0, 150 * mega];
  source.put('/small', 'of two');
  source.list();
  source.interferences.set('/small', (response) => {
    sent = 0;
    response.writeHead(200, { 'last-modified': 'Fri, 20 Nov 2026 00:00:00 GMT' });
    const go = () => {
      while (!response.destroyed && sent < limit) {
        sent += mega;
        if (!response.write(Buffer.alloc(mega))) {
          response.once('drain', go);
          return;
        }
      }
      response.end();
    };
    go();
    return true;
  });
  let shown = 0;
  const onProgress = ({ octets }: SyncProgress) => {
    shown = Math.max(shown, octets);
  };
  const maximumOctets = Number.MAX_SAFE_INTEGER;
  const refused = await copy.sync({ maximumOctets }, { onProgress });
  expect(refused).toMatchObject({ held: 0, isComplete: false });
  expect(refused.failures).toMatchObject([
    { reason: 'it has more than 64000006 octets, and 6 are stated; --max-size allows as many as it says' },
  ]);
  expect(shown).toBeGreaterThan(60 * mega);
  // What has been changed since may have grown.
  limit = 30 * mega;
  expect(await copy.sync({ maximumOctets })).toMatchObject({ copied: { created: 1, newer: 1 } });
  limit = 80 * mega;
  source.put('/small', 'of three');
  expect(await copy.sync({ maximumOctets: 100 * mega })).toMatchObject({ copied: { updated: 1, newer: 1 } });
  copy.end();
  await source.close();
}, 60_000);
