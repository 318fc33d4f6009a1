import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChangingSource } from '../../house/sync/changing-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let source: ChangingSource;
let copy: Copy;

beforeEach(async () => {
  source = await ChangingSource.open();
  source.offers = ['resourcelist'];
  copy = new Copy(source);
});
afterEach(async () => {
  copy.end();
  await source.close();
});

/** The list names `/a` as it was, too. */
function doubled(where: 'before' | 'behind'): void {
  const former = `<url><loc>${source.origin}/a</loc><lastmod>2026-10-01T00:00:00Z</lastmod><rs:md xmlns:rs="http://www.openarchives.org/rs/terms/" hash="md5:${'0'.repeat(32)}" length="3"/></url>`;
  source.rewrite = (path, text) => {
    if (path !== '/rl.xml') return text;
    return where === 'before'
      ? text.replace('<url>', `${former}<url>`)
      : text.replace('</urlset>', `${former}</urlset>`);
  };
}

describe.each(['before', 'behind'] as const)(
  'a resource that a list has twice, the former state %s',
  (where) => {
    test('is fetched in the later state', async () => {
      source.put('/a', 'A');
      source.put('/b', 'B');
      source.list();
      doubled(where);
      const report = await copy.sync();
      expect(report).toMatchObject({ isComplete: true, failures: [], copied: { created: 2, requests: 2 } });
      expect(copy.contents()).toEqual(source.contents());
    });

    test('is kept in the later state, and replaced by it', async () => {
      source.put('/a', 'A');
      source.list();
      await copy.sync();
      doubled(where);
      source.takeAsked();
      expect(await copy.sync({ way: 'audit' })).toMatchObject({ isComplete: true, copied: { requests: 0 } });
      source.put('/a', 'A, new');
      source.list();
      expect(await copy.sync()).toMatchObject({ isComplete: true, failures: [], copied: { updated: 1 } });
      expect(source.takeAsked()).toEqual(['/a']);
      expect(copy.contents()).toEqual(source.contents());
    });
  },
);
