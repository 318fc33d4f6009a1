import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChangingSource } from '../../house/sync/changing-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let source: ChangingSource;
let copy: Copy;

const sitemap = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const terms = 'http://www.openarchives.org/rs/terms/';
const names = ['/a', '/b', '/c', '/d', '/e', '/f'];

beforeEach(async () => {
  source = await ChangingSource.open();
  source.offers = ['resourcelist'];
  copy = new Copy(source);
  for (const name of names) source.put(name, `this is ${name}`);
  source.list();
});
afterEach(async () => {
  copy.end();
  await source.close();
});

const listOf = (md: string, entries = '') =>
  `<urlset xmlns="${sitemap}" xmlns:rs="${terms}">${md}${entries}</urlset>`;

function answer(path: string, text: string): void {
  source.interferences.set(path, (response) =>
    Boolean(response.writeHead(200, { 'content-type': 'application/xml' }).end(text)),
  );
}

const isWhole = () => expect(copy.contents()).toEqual(source.contents());
/** After everything that the clock has passed. */
const later = 'at="2026-11-20T00:00:00Z"';

const others: readonly [string, () => string][] = [
  ['a Change List', () => listOf('<rs:md capability="changelist" from="2026-11-20T00:00:00Z"/>')],
  [
    'a Capability List',
    () =>
      listOf(
        '<rs:md capability="capabilitylist"/>',
        `<url><loc>${source.origin}/rl.xml</loc><rs:md capability="resourcelist"/></url>`,
      ),
  ],
  ['a Change Dump', () => listOf('<rs:md capability="changedump" from="2026-11-20T00:00:00Z"/>')],
  [
    'a Capability List that does not say so',
    () => listOf('', `<url><loc>${source.origin}/rl.xml</loc><rs:md capability="resourcelist"/></url>`),
  ],
  [
    'a Change List that does not say so',
    () =>
      listOf(
        '',
        `<url><loc>${source.origin}/a</loc><rs:md change="deleted" datetime="2026-11-20T00:00:00Z"/></url>`,
      ),
  ],
  ['a list that is empty and does not say what it is', () => listOf('')],
];

describe('in the place of a Resource List', () => {
  test.each(others)('%s is named, and nothing is deleted', async (_, text) => {
    const before = await copy.sync();
    answer('/rl.xml', text());
    source.pass(1_000_000);
    await expect(copy.sync()).rejects.toMatchObject({
      code: 'upstream-protocol',
      message: expect.stringContaining('/rl.xml'),
    });
    isWhole();
    source.interferences.clear();
    expect(await copy.sync()).toMatchObject({ cursor: before.cursor, isComplete: true });
  });

  test.each(others)('of a part of an index, %s is told, and nothing is deleted', async (_, text) => {
    source.partSize = 3;
    source.list();
    const before = await copy.sync();
    source.list();
    answer('/rl-1.xml', text());
    const report = await copy.sync();
    expect(report).toMatchObject({ cursor: before.cursor, isComplete: false, read: { doomed: 0 } });
    expect(report.notes).toEqual([expect.stringMatching(/was not read to its end: \S+\/rl-1\.xml: /)]);
    isWhole();
  });

  test('a Sitemap that does not say what it is, and lists resources, is read as it is meant', async () => {
    await copy.sync();
    answer('/rl.xml', listOf('', `<url><loc>${source.origin}/a</loc></url>`));
    const report = await copy.sync();
    expect(report).toMatchObject({ copied: { deleted: 5 }, held: 1 });
    expect(report.remarks.map(({ rule }) => rule)).toContain('RS-GEN-03');
  });

  test('one that names nothing: what the copy has waits for somebody to allow it', async () => {
    source.offers = ['resourcelist', 'changelist'];
    await copy.sync();
    answer('/rl.xml', listOf(`<rs:md capability="resourcelist" ${later}/>`));
    source.pass(10_000_000);
    const held = { heldBack: { count: 6, limit: 0, isListEmpty: true }, isComplete: false };
    expect(await copy.sync({ way: 'audit' })).toMatchObject(held);
    expect(await copy.sync()).toMatchObject(held);
    isWhole();
    // What is told of one by one is no fault of the list.
    expect(await copy.sync({ maximumDeletions: 6 })).toMatchObject({ held: 0, isComplete: true });
    source.put('/g', 'g');
    await copy.sync();
    source.remove('/g');
    expect(await copy.sync()).toMatchObject({ copied: { deleted: 1 }, isComplete: true });
  });

  test('one that names nothing is of no consequence once the list names again what there is', async () => {
    await copy.sync();
    answer('/rl.xml', listOf(`<rs:md capability="resourcelist" ${later}/>`));
    await copy.sync();
    source.interferences.clear();
    source.pass(10_000_000);
    source.remove('/a');
    source.list();
    expect(await copy.sync()).toMatchObject({ copied: { deleted: 1 }, isComplete: true });
    isWhole();
  });
});

describe('in the place of a dump', () => {
  beforeEach(() => {
    source.offers = ['resourcedump'];
    source.linksManifests = true;
  });

  test.each(others)('%s is named, and nothing is deleted', async (_, text) => {
    await copy.sync();
    answer('/rd.xml', text());
    await expect(copy.sync()).rejects.toMatchObject({ message: expect.stringContaining('/rd.xml') });
    isWhole();
  });

  test('a manifest of changes is no list of what there is', async () => {
    await copy.sync();
    source.rewrite = (path, text) =>
      path.includes('manifest') ? text.replace('resourcedump-manifest', 'changedump-manifest') : text;
    source.remove('/a');
    source.list();
    const report = await copy.sync();
    expect(report).toMatchObject({ isComplete: false, copied: { deleted: 0 } });
    expect(report.notes).toEqual([expect.stringContaining('is a manifest of a Change Dump')]);
  });
});

test('a Resource List in the place of a Change List is named, and the cursor stays', async () => {
  source.offers = ['resourcelist', 'changelist'];
  const before = await copy.sync();
  answer('/cl.xml', listOf(`<rs:md capability="resourcelist" ${later}/>`));
  source.pass(10_000_000);
  await expect(copy.sync()).rejects.toMatchObject({ message: expect.stringContaining('is a Resource List') });
  source.interferences.clear();
  expect(await copy.sync()).toMatchObject({ cursor: before.cursor, isComplete: true });
});
