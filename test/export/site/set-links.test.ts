import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setLinksFile, writeSetLinks } from '../../../src/export/site/set-links.ts';

const baseUrl = 'https://repo.example.org/rs';
const sets = ['kyushu', 'kyushu/metadata', 'kyushu/sets/theses', 'kyushu/sets/new'].map((path) => ({
  path,
  source: 'kyushu',
}));
let root: string;
let second = 0;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rsbridge-set-links-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function list(path: string, element: 'url' | 'sitemap', locs: readonly string[]): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, locs.map((loc) => `<${element}><loc>${loc}</loc></${element}>`).join('\n'));
  second += 1;
  utimesSync(file, second, second);
}

const written = () => readFileSync(join(root, setLinksFile), 'utf8');
const link = `', <${baseUrl}/kyushu/sets/theses/capabilitylist.xml>; rel="resourcesync"'`;

test('names the resources of each set of one’s own, those in the parts of a list, too', async () => {
  const part = `${baseUrl}/kyushu/sets/theses/resourcelist/20261122T000000Z/0001.xml`;
  list('kyushu/resourcelist.xml', 'url', [`${baseUrl}/kyushu/items/a/oai_dc.xml`]);
  list('kyushu/sets/theses/resourcelist.xml', 'sitemap', [part]);
  const many = Array.from(
    { length: 5000 },
    (_, number) => `${baseUrl}/kyushu/items/oai:x:${number}~2F1/mods.xml`,
  );
  list(part.slice(baseUrl.length + 1), 'url', many);
  expect(await writeSetLinks(root, baseUrl, sets)).toBe(true);
  const lines = written()
    .split('\n')
    .filter((line) => line.includes('/items/'));
  expect(lines).toHaveLength(5000);
  expect(lines[4999]).toBe(`    "/rs/kyushu/items/oai:x:4999~2F1/mods.xml" ${link};`);
  expect(written()).toContain('map $uri $rsbridge_sets {\n    default "$rsbridge_set_0$rsbridge_set_1";\n}');
});

test('is written again when a list has changed, and only then', async () => {
  expect(await writeSetLinks(root, baseUrl, sets.slice(0, 2))).toBe(true);
  expect(written()).toContain('map $uri $rsbridge_sets {\n    default "";\n}');
  expect(await writeSetLinks(root, baseUrl, sets.slice(0, 2))).toBe(false);
  list('kyushu/sets/theses/resourcelist.xml', 'url', [`${baseUrl}/kyushu/items/a/mods.xml`]);
  expect(await writeSetLinks(root, baseUrl, sets)).toBe(true);
  expect(await writeSetLinks(root, baseUrl, sets)).toBe(false);
  list('kyushu/sets/theses/resourcelist.xml', 'url', [`${baseUrl}/kyushu/items/b/mods.xml`]);
  expect(await writeSetLinks(root, baseUrl, sets)).toBe(true);
  expect(written()).toContain('/items/b/mods.xml');
  expect(written()).not.toContain('/items/a/mods.xml');
});

test('nothing but addresses of ours gets into the configuration of a web server', async () => {
  list('kyushu/sets/theses/resourcelist.xml', 'url', [
    'https://files.example.org/kyushu/items/x.pdf',
    `${baseUrl}/kyushu/items/a"; } server { #`,
    `${baseUrl}/kyushu/items/$uri/mods.xml`,
    `${baseUrl}.evil.org/kyushu/items/b/mods.xml`,
  ]);
  await writeSetLinks(root, baseUrl, sets);
  expect(written()).not.toMatch(/items|evil|files/);
});
