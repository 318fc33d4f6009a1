import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linksOfPage, readSignposts } from '../../../src/core/signposting/landing-page-links.ts';
import { parseLinkset } from '../../../src/core/signposting/linkset.ts';
import { pageNames } from '../../../src/core/signposting/page-names.ts';
import { sharedMaterial } from '../../house/adapters/shared-material.ts';

const json = 'application/linkset+json';
const url = 'https://repo.example.org/linksets/1';
const filesOf = (text: string, type: string | undefined, ...names: string[]) =>
  readSignposts(linksOfPage(parseLinkset(text, type, url), pageNames(names)), pageNames(names)).files;
const urlsOf = (...given: Parameters<typeof filesOf>) => filesOf(...given).map((file) => file.url);

const page = 'https://repo.example.org/records/1';
const other = 'https://repo.example.org/records/2';
const text = `<https://repo.example.org/a.pdf>
 ; rel="item"
 ; type="application/pdf"
 ; anchor="${page}" ,
<https://repo.example.org/b.pdf>; rel=item; type="application/pdf"; anchor="${other}",
<${page}>; rel=collection; anchor="https://repo.example.org/a.pdf"
`;
const asJson = JSON.stringify({
  linkset: [
    { anchor: page, item: [{ href: 'https://repo.example.org/a.pdf', type: 'application/pdf', length: 7 }] },
    { anchor: other, item: [{ href: 'https://repo.example.org/b.pdf', type: 'application/pdf' }] },
    { anchor: 'https://repo.example.org/a.pdf', collection: [{ href: page }] },
  ],
});

describe('A link set', () => {
  test.each([
    ['as text', text, 'application/linkset'],
    ['as JSON', asJson, json],
    ['as text that is called plain', text, 'text/plain'],
    ['as JSON that is called JSON', `\uFEFF\n${asJson}`, 'application/json'],
    ['of no type', asJson, undefined],
  ])('%s gives the links of the page it is read for', (_, set, type) => {
    expect(urlsOf(set, type, page)).toEqual(['https://repo.example.org/a.pdf']);
    expect(urlsOf(set, type, other)).toEqual(['https://repo.example.org/b.pdf']);
    expect(urlsOf(set, type, 'https://repo.example.org/records/3')).toEqual([]);
  });

  test('names the page with http or https, with or without a slash', () => {
    expect(urlsOf(text, undefined, 'http://repo.example.org/records/1/#top')).toHaveLength(1);
  });

  test('may be of a page under another address, if that is the only one with files', () => {
    const set = {
      linkset: [
        { anchor: page, item: [{ href: 'a.pdf' }] },
        { anchor: other, type: [{ href: 'x' }] },
      ],
    };
    expect(urlsOf(JSON.stringify(set), json, 'https://hdl.handle.net/1/2')).toEqual([
      'https://repo.example.org/linksets/a.pdf',
    ]);
  });

  test('knows the page by the name it is to be cited by', () => {
    const cited = 'https://doi.org/10.1234/5';
    const set = {
      linkset: [
        { anchor: page, 'cite-as': [{ href: cited }], item: [{ href: '/a' }] },
        { anchor: other, item: [{ href: '/b' }] },
      ],
    };
    expect(urlsOf(JSON.stringify(set), json, cited)).toEqual(['https://repo.example.org/a']);
  });

  test.each([
    ['no JSON', '{"linkset": ['],
    ['no set', '{"items": []}'],
    ['null', 'null'],
    ['numbers', '{"linkset": [1, null, "x", {"anchor": 7, "item": [1, null, {"href": 2}]}]}'],
    ['an anchor that is none', '{"linkset": [{"anchor": "http://", "item": [{"href": "/a"}]}]}'],
  ])('that is %s gives nothing', (_, set) => {
    expect(parseLinkset(set, json, url)).toEqual([]);
  });

  test('takes single objects where arrays are due, and lengths as texts', () => {
    const set = '{"linkset": {"item": {"href": "/a", "length": "12", "title*": [{"value": "雨.pdf"}]}}}';
    expect(filesOf(set, json, page)).toMatchObject([{ length: 12, name: '雨.pdf' }]);
  });

  test('of 60,000 files is read up to 50,000', () => {
    const item = Array.from({ length: 60_000 }, (_, index) => ({ href: `/files/${index}` }));
    const files = filesOf(JSON.stringify({ linkset: [{ anchor: page, item }] }), json, page);
    expect(files).toHaveLength(50_000);
    expect(files.at(-1)).toMatchObject({ sequence: 50_000 });
  });

  test('may nest as deeply as it likes', () => {
    const deep = `{"linkset":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(parseLinkset(deep, json, url)).toEqual([]);
  });
});

const dspace = sharedMaterial('fixtures/dspace/contract');
const signposting = sharedMaterial('fixtures/signposting');

describe.skipIf(dspace === undefined || signposting === undefined)('Link sets of others', () => {
  const read = (folder: string | undefined, name: string) =>
    readFileSync(join(folder ?? '.', name), 'utf8')
      .replaceAll('https://{dspace.ui.url}', 'https://repo.example.org')
      .replaceAll('{uuid}', '0ab1c2d3-1111-2222-3333-444455556666');
  const publication = 'https://repo.example.org/entities/publication/0ab1c2d3-1111-2222-3333-444455556666';

  test.each([
    ['text', 'signposting_linkset.txt', 'application/linkset'],
    ['JSON', 'signposting_linkset.json', json],
  ])('DSpace, as %s', (_, name, type) => {
    expect(urlsOf(read(dspace, name), type, publication)).toEqual([
      'https://repo.example.org/bitstreams/0ab1c2d3-1111-2222-3333-444455556666/download',
    ]);
  });

  test.each([
    ['27-http-linkset-json-only', 'stain+signposting__27-http-linkset-json-only.json', json],
    ['28-http-linkset-txt-only', 'stain+signposting__28-http-linkset-txt-only.txt', 'application/linkset'],
  ])('the signposting testbed, %s', (id, name, type) => {
    expect(
      filesOf(read(signposting, name), type, `https://s11.no/2022/a2a-fair-metrics/${id}/`),
    ).toMatchObject([
      {
        url: `https://s11.no/2022/a2a-fair-metrics/${id}/test-apple-data.csv`,
        mediaType: 'text/csv',
        name: 'test-apple-data.csv',
      },
    ]);
  });
});
