import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  capabilityList,
  namespaces,
  sha256,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';
import { Copy } from '../../house/sync/copy.ts';

/** On each page, as programs do it that count their rows anew for each. */
const pageSize = 2;

let source: WrittenSource;
let copy: Copy;
let there: string[];
let isTagged: boolean;
/** Between the first page and the second. */
let meanwhile: () => void;

const entry = (name: string) =>
  `<url><loc>${source.origin}/${name}</loc><lastmod>2026-10-01T00:00:00Z</lastmod><rs:md hash="${sha256(name)}"/></url>`;

const namesOn = (number: number) => there.slice(number * pageSize, (number + 1) * pageSize);

function page(number: number): string {
  const some = namesOn(number).map(entry);
  const isLast = (number + 1) * pageSize >= there.length;
  const next = isLast ? '' : `<rs:ln rel="next" href="/list.xml?page=${number + 1}"/>`;
  const list = `<urlset ${namespaces}><rs:md capability="resourcelist" at="2026-11-01T00:00:0${number}Z"/>${next}${some.join('')}</urlset>`;
  if (number === 0) meanwhile();
  return list;
}

beforeEach(async () => {
  source = await WrittenSource.open();
  there = ['a', 'b', 'c', 'd', 'e'];
  meanwhile = () => undefined;
  isTagged = false;
  for (const name of there) source.put(`/${name}`, name);
  source.put('/.well-known/resourcesync', capabilityList(source.origin, { resourcelist: '/list.xml' }));
  for (const number of [0, 1, 2]) {
    source.answers.set(number === 0 ? '/list.xml' : `/list.xml?page=${number}`, {
      get headers() {
        const etag = `"${namesOn(number).join('-')}"`;
        return isTagged ? { etag } : {};
      },
      get body() {
        return page(number);
      },
    });
  }
  copy = new Copy({ origin: source.origin, now: '2026-11-02T00:00:00Z' });
});
afterEach(async () => {
  copy.end();
  await source.close();
});

test('a list without an index, page behind page, is copied as a whole (RS-GEN-06)', async () => {
  expect(await copy.sync()).toMatchObject({ held: 5, isComplete: true });
  expect(Object.keys(copy.contents())).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('what came later is on its last page, whatever the first says of itself', async () => {
  isTagged = true;
  await copy.sync();
  source.put('/f', 'f');
  there.push('f');
  expect(await copy.sync()).toMatchObject({ copied: { created: 1 }, held: 6 });
});

test('what moved from one page to another meanwhile is not taken for gone', async () => {
  await copy.sync();
  there.push('g');
  source.put('/g', 'g');
  meanwhile = () => {
    there = there.filter((name) => name !== 'a');
    source.answers.delete('/a');
  };
  // The second page begins behind `c`, which was on the first when there was an `a` before it.
  expect(await copy.sync()).toMatchObject({ copied: { deleted: 0, created: 1 } });
  expect(Object.keys(copy.contents())).toEqual(['a', 'b', 'c', 'd', 'e', 'g']);
  expect(await copy.sync()).toMatchObject({ copied: { deleted: 1 } });
  expect(Object.keys(copy.contents())).toEqual(['b', 'c', 'd', 'e', 'g']);
});

test('nothing is taken for gone where its pages cannot be read again', async () => {
  await copy.sync();
  const second = source.answers.get('/list.xml?page=1');
  let times = 0;
  there = there.filter((name) => name !== 'c');
  meanwhile = () => {
    times += 1;
    if (times === 2) source.answers.delete('/list.xml?page=1');
  };
  expect(await copy.sync()).toMatchObject({ copied: { deleted: 0 }, isComplete: false });
  meanwhile = () => undefined;
  if (second) source.answers.set('/list.xml?page=1', second);
  expect(await copy.sync()).toMatchObject({ copied: { deleted: 1 }, isComplete: true });
});
