import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OfferedCapability } from '../../../src/simulate/settings.ts';
import { CopyDatabase } from '../../../src/sync/state/copy-database.ts';
import { ChangingSource } from '../../house/sync/changing-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let source: ChangingSource;
let copy: Copy;

/** Days ahead of the Source's clock. */
const future = '2026-11-03T00:00:00Z';
const isWhole = () => expect(copy.contents()).toEqual(source.contents());

beforeEach(async () => {
  source = await ChangingSource.open();
  copy = new Copy(source);
  for (const name of ['/a', '/b', '/c']) source.put(name, `this is ${name}`);
  source.list();
});
afterEach(async () => {
  copy.end();
  await source.close();
});

/** Lists and manifests say that they are of then. */
function mistime(): void {
  source.rewrite = (path, text) =>
    /rl|rd|manifest/.test(path) ? text.replace(/\bat="[^"]*"/g, `at="${future}"`) : text;
}

describe('a list that says that it is of a moment in the future', () => {
  const offered: readonly OfferedCapability[][] = [
    ['resourcelist', 'changelist'],
    ['resourcedump', 'changelist'],
    ['resourcelist', 'resourcedump', 'changelist'],
  ];
  test.each(offered)('hides no change: %s, %s, %s', async (...offers) => {
    source.offers = offers;
    mistime();
    const first = await copy.sync();
    expect(first.cursor).toBe(source.now);
    source.put('/a', 'changed');
    source.remove('/b');
    expect(await copy.sync()).toMatchObject({ copied: { updated: 1, deleted: 1 }, isComplete: true });
    isWhole();
  });

  test.each(['2026-11-01T09:00:00Z', future])('hides no change since it was made: %s', async (at) => {
    source.rewrite = (path, text) => (path === '/rl.xml' ? text.replace(/\bat="[^"]*"/, `at="${at}"`) : text);
    source.put('/a', 'changed');
    source.remove('/b');
    source.put('/new', 'new');
    source.pass(7_200);
    expect(await copy.sync()).toMatchObject({ isComplete: true, cursor: expect.stringMatching(/T02:/) });
    isWhole();
    expect(await copy.sync({ way: 'audit' })).toMatchObject({ isComplete: true, copied: { deleted: 0 } });
    isWhole();
  });

  test('is told', async () => {
    mistime();
    const { remarks } = await copy.sync();
    expect(remarks).toMatchObject([{ rule: 'RS-TIME-06', message: expect.stringContaining(future) }]);
  });

  test('is believed as far as our clock, where its server tells no time', async () => {
    mistime();
    source.interferences.set('/rl.xml', (response, _, body) => {
      response.sendDate = false;
      return Boolean(response.writeHead(200).end(body));
    });
    expect((await copy.sync()).cursor).toBe(source.now);
    source.put('/a', 'changed');
    await copy.sync();
    isWhole();
  });

  test('by a little is as it is with clocks', async () => {
    source.rewrite = (path, text) =>
      path === '/rl.xml' ? text.replace(/\bat="[^"]*"/, 'at="2026-11-01T00:02:00Z"') : text;
    expect(await copy.sync()).toMatchObject({ cursor: source.now, remarks: [] });
  });
});

/** As an earlier release left it. */
function freeze(): void {
  const database = CopyDatabase.open(copy.directory);
  database.write('update held set as_of = ?', future);
  database.keep('cursor', future);
  database.close();
}

describe('a copy that has taken a moment in the future for known', () => {
  test.each([undefined, 'audit', 'baseline'] as const)('is compared as a whole, once: %s', async (way) => {
    await copy.sync();
    freeze();
    source.put('/a', 'changed');
    source.remove('/b');
    source.list();
    source.put('/c', 'changed, too');
    const report = await copy.sync({ way });
    expect(report).toMatchObject({
      cursor: source.now,
      isComplete: true,
      copied: { updated: 2, deleted: 1 },
    });
    isWhole();
    expect(await copy.sync()).toMatchObject({ ways: [{ way: 'incremental' }], isComplete: true });
  });

  test('says why', async () => {
    await copy.sync();
    freeze();
    const why = `the copy had everything as of ${future}, which lies in the future`;
    expect(await copy.sync()).toMatchObject({ ways: [{ way: 'audit', why }] });
  });

  test('of a Source with changes alone reads all of them', async () => {
    source.offers = ['changelist'];
    await copy.sync();
    freeze();
    source.put('/a', 'changed');
    await copy.sync();
    isWhole();
  });
});
