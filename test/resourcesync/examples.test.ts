import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { htmlLinkTargets, linkTargets } from '../../src/resourcesync/discovery/link-field.ts';
import { sitemapsOf } from '../../src/resourcesync/discovery/look.ts';
import { parseSourceDocument } from '../../src/resourcesync/reading/source-document.ts';
import type { Statement } from '../../src/resourcesync/reading/statement.ts';

const folder = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'spec', 'examples');
const isThere = existsSync(folder);
if (!isThere) process.stderr.write(`SKIPPED: the examples of the standard are not in ${folder}\n`);

const places = isThere ? [folder, join(folder, 'english-1.1')] : [];
const documents = places.flatMap((place) =>
  readdirSync(place)
    .filter((name) => /^example-\d\d\.xml$/.test(name))
    .map((name) => ({ name: join(place, name).slice(folder.length + 1), file: join(place, name) })),
);

/** Found by looking at the text, not by a reader. */
function written(text: string, pattern: RegExp): string[] {
  const bare = text.replaceAll(/<!--[\s\S]*?-->/g, '');
  return [...bare.matchAll(pattern)].map(([, found = '']) => found.trim().replaceAll('&amp;', '&'));
}

async function read(file: string) {
  const remarks: string[] = [];
  const statements: Statement[] = [];
  const bytes = readFileSync(file);
  const chunks = async function* () {
    yield bytes;
  };
  const document = await parseSourceDocument(
    chunks(),
    'http://example.com/dataset1/document.xml',
    { statement: (statement) => statements.push(statement) },
    (rules, message) => remarks.push(`${rules} ${message}`),
  );
  return { document, statements, remarks, text: bytes.toString('utf8') };
}

describe.skipIf(!isThere)('the examples of the standard', () => {
  test('are all there', () => {
    expect(documents).toHaveLength(60);
  });

  test.each(documents)('$name is read as it is written', async ({ name, file }) => {
    const { document, statements, remarks, text } = await read(file);
    expect(document.capability).toBe(written(text, /\bcapability="([^"]+)"/g)[0]);
    expect(document.isIndex).toBe(text.includes('<sitemapindex'));
    const locs = written(text, /<loc>([^<]+)<\/loc>/g);
    const found =
      statements.length > 0 ? statements.map(({ loc }) => loc) : document.members.map(({ uri }) => uri);
    expect(found).toEqual(locs);
    const changes = statements.flatMap(({ change }) => change ?? []);
    expect(changes).toEqual(document.isIndex ? [] : written(text, /\bchange="([^"]+)"/g));
    const lengths = statements.flatMap(({ length, links }) => [
      ...(length === undefined ? [] : [String(length)]),
      ...links.flatMap((link) => (link.length === undefined ? [] : [String(link.length)])),
    ]);
    if (statements.length > 0) expect(lengths).toEqual(written(text, /\blength="([^"]+)"/g));
    // Their hashes are no hexadecimal numbers.
    if (!name.endsWith('example-27.xml')) expect(remarks).toEqual([]);
  });

  test('of pages, headers and robots.txt lead to the Capability List', () => {
    const text = (name: string) => readFileSync(join(folder, name), 'utf8');
    const base = 'http://www.example.com/newsitems/4.html';
    const list = 'http://www.example.com/dataset1/capabilitylist.xml';
    expect(htmlLinkTargets(text('example-09.html'), 'resourcesync', base)).toEqual([list]);
    const field = /^Link:((?:.*\r?\n[ \t])*.*)$/im.exec(text('example-10.http'))?.[1];
    expect(linkTargets(field, 'resourcesync', base)).toEqual([list]);
    expect(sitemapsOf(text('example-11.txt')).length).toBeGreaterThan(0);
  });
});
