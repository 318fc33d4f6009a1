import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHeadReader } from '../../../src/core/signposting/head-links.ts';
import { readSignposts } from '../../../src/core/signposting/landing-page-links.ts';
import { parseLinkField } from '../../../src/core/signposting/link-field.ts';
import { pageNames } from '../../../src/core/signposting/page-names.ts';
import { sharedMaterial } from '../../house/adapters/shared-material.ts';

const url = 'https://repo.example.org/records/1';
const names = pageNames([url]);
const ofField = (field: string) => readSignposts(parseLinkField(field, url), names);

function ofPage(html: string, size = 7) {
  const reader = createHeadReader(url);
  for (let at = 0; at < html.length && reader.write(html.slice(at, at + size)); at += size);
  return readSignposts(reader.links(), names);
}
const filesOf = (html: string) => ofPage(html).files.map((file) => file.url);

describe('The links of a landing page', () => {
  test('of relation item are its files, in their order and each once', () => {
    const { files } = ofField(
      '</b.pdf>; rel=item; type="application/pdf", </a.csv>; rel=item; type="text/csv"; length=9, </b.pdf#x>; rel=item',
    );
    expect(files).toEqual([
      { url: 'https://repo.example.org/b.pdf', name: 'b.pdf', sequence: 1, mediaType: 'application/pdf' },
      { url: 'https://repo.example.org/a.csv', name: 'a.csv', sequence: 2, mediaType: 'text/csv', length: 9 },
    ]);
    expect(files.every(({ access }) => access === undefined)).toBe(true);
  });

  test('of relation item are no files where they are pages for people, or the page itself', () => {
    const field =
      '</part/2>; rel=item; type="text/html;charset=utf-8", </records/1>; rel=item, </x>; rel=item; type="application/xhtml+xml"';
    expect(ofField(field).files).toEqual([]);
  });

  test('are of no interest where they are of something else', () => {
    const field = '</a.pdf>; rel=item; anchor="/records/2", </b.pdf>; rel=item; anchor="/records/1/"';
    expect(ofField(field).files.map((file) => file.url)).toEqual(['https://repo.example.org/b.pdf']);
  });

  test.each([
    ['ftp://repo.example.org/a'],
    ['javascript:alert(1)'],
    ['file:///etc/passwd'],
    ['data:text/plain,x'],
    ['https://user:secret@repo.example.org/a'],
  ])('do not lead to %s', (target) => {
    expect(ofField(`<${target}>; rel=item`).files).toEqual([]);
  });

  test('do not lead to addresses that are too long for an index', () => {
    expect(ofField(`</${'x'.repeat(3000)}>; rel=item`).files).toEqual([]);
  });

  test.each([
    [
      '/雨 & 風|{x}^.pdf',
      'https://repo.example.org/%E9%9B%A8%20&%20%E9%A2%A8%7C%7Bx%7D%5E.pdf',
      '雨 & 風|{x}^.pdf',
    ],
    ['/100%.pdf?q=<', 'https://repo.example.org/100%25.pdf?q=%3C', '100%.pdf'],
  ])('%s is made a URI', (target, expected, name) => {
    const { files } = readSignposts(
      [{ context: undefined, relations: ['item'], href: new URL(target, url).href }],
      names,
    );
    expect(files).toMatchObject([{ url: expected, name }]);
  });

  test.each([
    ['/bitstreams/1/download', 'application/pdf', 'file.pdf'],
    ['/bitstreams/1/download', undefined, 'file'],
    ['/get.php', 'image/png', 'file.png'],
    ['/files/', 'text/csv', 'files.csv'],
    ['/access/datafile/35', 'image/png', '35.png'],
    ['/a/thesis.v2.pdf', 'application/pdf', 'thesis.v2.pdf'],
  ])('%s of type %s is called %s', (target, type, name) => {
    expect(ofField(`<${target}>; rel=item${type ? `; type="${type}"` : ''}`).files[0]?.name).toBe(name);
  });

  test('lead to link sets, JSON first, and say how to cite and what describes it', () => {
    expect(
      ofField(
        '</l>; rel=linkset; type="application/linkset", </j>; rel=linkset; type="application/linkset+json",' +
          '<https://doi.org/10.1/2>; rel="cite-as", </m>; rel=describedby; type="application/xml", <ftp://x/>; rel=linkset',
      ),
    ).toMatchObject({
      linksets: ['https://repo.example.org/j', 'https://repo.example.org/l'],
      citeAs: ['https://doi.org/10.1/2'],
      describedBy: [{ url: 'https://repo.example.org/m', type: 'application/xml' }],
    });
  });

  const id = '0ab1c2d3-1111-2222-3333-444455556666';
  test.each([
    ['https://repo.example.org/server', `https://repo.example.org/server/api/core/bitstreams/${id}/content`],
    // What most do: the address says nothing about where the service is.
    ['https://repo.example.org', `https://repo.example.org/bitstreams/${id}/download`],
  ])('of a DSpace whose link sets are at %s lead to %s', (server, expected) => {
    const { files } = ofField(
      `</bitstreams/${id}/download>; rel=item; type="application/pdf", <${server}/signposting/linksets/${id}>; rel=linkset`,
    );
    expect(files.map((file) => file.url)).toEqual([expected]);
    expect(files[0]?.name).toBe('file.pdf');
  });
});

describe('The head of a page', () => {
  test('holds links, however it is written', () => {
    const html = `<!DOCTYPE html><HTML><Head><title><link rel=item href=/no1></title>
      <!-- <link rel="item" href="/no2"> --><script>"<link rel=item href=/no3>"</script><meta charset=utf-8>
      <style><link rel=item href=/no4></style>
      <LINK REL='Item' HREF='/a?x=1&amp;y=2' TYPE="application/pdf"><link href=/b rel="stylesheet item"/><link rel=item>
      </head><body><link rel=item href=/no5>`;
    expect(filesOf(html)).toEqual(['https://repo.example.org/a?x=1&y=2', 'https://repo.example.org/b']);
  });

  test('is over with the body, and need not be marked at all', () => {
    expect(
      filesOf('<link rel=item href=/a><p>x<link rel=item href=/b><body class=x><link rel=item href=/c>'),
    ).toEqual(['https://repo.example.org/a', 'https://repo.example.org/b']);
  });

  test('is over with its end tag, whatever comes behind it', () => {
    expect(filesOf('<head><link rel=item href=/a></HEAD ><link rel=item href=/b>')).toEqual([
      'https://repo.example.org/a',
    ]);
  });

  test('may set another base, the first of which counts', () => {
    const html =
      '<link rel=item href=a><base target=x><base href="/files/"><base href="http://evil.example/"></head>';
    expect(filesOf(html)).toEqual(['https://repo.example.org/files/a']);
    expect(filesOf('<base href="http://"><link rel=item href=a>')).toEqual([
      'https://repo.example.org/records/a',
    ]);
  });

  test.each([
    '<div>',
    '<b>',
    '<svg>',
    '<a b="',
    '<!--',
    '<table><td>',
    '<link rel=item href=/x>',
    '<',
    '&#',
    '</p>',
  ])('of half a megabyte of %s is read to its end', (piece) => {
    // What looks at all of it again for each piece would take longer than a test may.
    expect(ofPage(piece.repeat(524_288 / piece.length), 16_384)).toBeDefined();
  });
});

const signposting = sharedMaterial('fixtures/signposting');

describe.skipIf(signposting === undefined)('Pages of others', () => {
  test('the signposting testbed, 02-html-full', () => {
    const html = readFileSync(join(signposting ?? '.', 'stain+signposting__02-html-full.html'), 'utf8');
    expect(ofPage(html)).toMatchObject({
      files: [
        {
          url: 'https://s11.no/2022/a2a-fair-metrics/02-html-full/data/test-apple-data.csv',
          mediaType: 'text/csv',
        },
      ],
      citeAs: ['https://w3id.org/a2a-fair-metrics/02-html-full/'],
    });
  });

  test('the header of a Dataverse', () => {
    const name = 'signposting+signposting.github.io__apples-hackathon_example.txt';
    const field = /^link: (.*)$/m.exec(readFileSync(join(signposting ?? '.', name), 'utf8'))?.[1] ?? '';
    const { files, linksets } = ofField(field);
    expect(files.map((file) => [file.url, file.mediaType])).toEqual([
      ['https://dv59.sd.di.huc.knaw.nl/api/access/datafile/35', 'image/png'],
      ['https://dv59.sd.di.huc.knaw.nl/api/access/datafile/36', 'image/png'],
    ]);
    expect(linksets).toHaveLength(1);
  });
});
