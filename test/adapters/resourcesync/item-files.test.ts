import { afterEach, beforeEach, expect, test } from 'vitest';
import { Level } from '../../house/chain/level.ts';
import {
  capabilityList,
  namespaces,
  resourceList,
  sha256,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';

let source: WrittenSource;
let level: Level;

beforeEach(async () => {
  source = await WrittenSource.open();
  source.put('/cap.xml', capabilityList(source.origin, { resourcelist: '/list.xml' }));
  for (const format of ['oai_dc', 'mods']) source.put(`/west/items/1/${format}.xml`, `<${format}/>`);
  for (const name of [first, second, third])
    source.put(`/west/items/1/${name}`, '0123456789', { type: 'application/pdf' });
  level = await Level.open('far', { adapter: 'resourcesync', url: `${source.origin}/cap.xml` });
});
afterEach(async () => {
  await level.close();
  await source.close();
});

const address = (name: string) => `${source.origin}/west/items/1/${name}`;
/** The item's metadata in a format, which describes some of its files. */
const metadata = (format: string, ...described: string[]) => {
  const content = `<${format}/>`;
  const links = described.map((name) => `<rs:ln rel="describes" href="${address(name)}"/>`).join('');
  return `<url><loc>${address(`${format}.xml`)}</loc><lastmod>2026-01-01T00:00:00Z</lastmod><rs:md hash="${sha256(content)}" length="${content.length}" type="application/xml"/>${links}</url>`;
};
const file = (name: string) =>
  `<url><loc>${address(name)}</loc><rs:md length="10" type="application/pdf"/><rs:ln rel="describedby" href="${address('oai_dc.xml')}"/></url>`;
/** Entries that are nothing to the item, more than come at a time. */
const others = (count: number) =>
  Array.from(
    { length: count },
    (_, n) =>
      `<url><loc>${source.origin}/alone/${count}-${n}.csv</loc><rs:md length="7" type="text/csv"/></url>`,
  ).join('');

const [first, second, third] = ['files/1-a.pdf', 'files/2-b.pdf', 'files/3-c.pdf'] as const;
const list = (...entries: string[]) => source.put('/list.xml', resourceList(entries.join('')));
const files = async () =>
  [...(await level.files()).keys()].flatMap((path) => /files\/.*pdf$/.exec(path)?.[0] ?? []).sort();
const nothing = { state: 'succeeded', created: 0, updated: 0, deleted: 0, problems: 0 };

test.each([
  ['far behind its metadata', () => [metadata('oai_dc', first), file(first), others(130), file(second)]],
  [
    'far before its metadata',
    () => [others(1), metadata('mods', first), file(second), others(130), metadata('oai_dc'), file(first)],
  ],
  [
    'described by one format and not by another',
    () => [
      metadata('mods', first, second),
      file(first),
      file(second),
      others(130),
      metadata('oai_dc', first),
    ],
  ],
])('a file that is %s stays as it is', async (_where, entries) => {
  list(...entries());
  await level.turn('full');
  expect(await files()).toEqual([first, second]);
  expect(await level.turn('full')).toMatchObject(nothing);
  expect(await files()).toEqual([first, second]);
});

test('a file that a complete list has no more is deleted, the others stay', async () => {
  list(metadata('oai_dc', first), file(first), others(130), file(second), file(third));
  await level.turn('full');
  expect(await files()).toEqual([first, second, third]);
  list(metadata('oai_dc', first), file(first), others(130), file(third));
  // Its metadata names it no more.
  expect(await level.turn('full')).toMatchObject({ ...nothing, updated: 1, deleted: 1 });
  expect(await files()).toEqual([first, third]);
  expect(await level.turn('full')).toMatchObject(nothing);
});

test('a list that ends early deletes no file', async () => {
  list(metadata('oai_dc', first), file(first), others(130), file(second));
  await level.turn('full');
  const part = `${source.origin}/part`;
  source.put(
    '/list.xml',
    `<sitemapindex ${namespaces}><rs:md capability="resourcelist" at="2026-02-01T00:00:00Z"/>${[1, 2].map((n) => `<sitemap><loc>${part}/${n}.xml</loc></sitemap>`).join('')}</sitemapindex>`,
  );
  source.put('/part/1.xml', resourceList(metadata('oai_dc', first) + file(first) + others(130)));
  source.put('/part/2.xml', '<html><body>Error</body></html>', { type: 'text/html' });
  expect(await level.turn('full')).toMatchObject({ state: 'needs-attention', deleted: 0 });
  expect(await files()).toEqual([first, second]);
});

test('metadata that changes takes no file with it that nothing says is gone', async () => {
  const lists = { resourcelist: '/list.xml', changelist: '/changes.xml' };
  const changes = (entry: string) =>
    source.put(
      '/changes.xml',
      `<urlset ${namespaces}><rs:md capability="changelist" from="2026-02-01T00:00:00Z"/>${entry}</urlset>`,
    );
  source.put('/cap.xml', capabilityList(source.origin, lists));
  changes('');
  list(metadata('oai_dc', first), file(first), file(second));
  await level.turn('full');
  source.put('/west/items/1/oai_dc.xml', '<changed/>');
  const changed = metadata('oai_dc', first)
    .replace(sha256('<oai_dc/>'), sha256('<changed/>'))
    .replace('length="9"', 'change="updated" datetime="2026-02-02T00:00:00Z" length="10"');
  changes(changed);
  expect(await level.turn()).toMatchObject({ state: 'succeeded', updated: 1, deleted: 0 });
  expect(await files()).toEqual([first, second]);
  const deletion = `<url><loc>${address(second)}</loc><rs:md change="deleted" datetime="2026-02-03T00:00:00Z"/></url>`;
  changes(changed + deletion);
  expect(await level.turn()).toMatchObject({ state: 'succeeded', deleted: 1 });
  expect(await files()).toEqual([first]);
});
