import { describe, expect, test } from 'vitest';
import { parseLinkField } from '../../../src/core/signposting/link-field.ts';
import { countSteps } from '../../house/process/steps.ts';

const base = 'https://repo.example.org/records/1';
const read = (field: string) =>
  parseLinkField(field, base).map(({ href, relations, ...rest }) => {
    const said = Object.entries(rest).filter(([, value]) => value !== undefined);
    return [href, relations.join(' '), Object.fromEntries(said)];
  });

describe('A Link field', () => {
  test('holds several links with their attributes', () => {
    expect(
      read(
        '<https://repo.example.org/a.pdf> ; rel="item" ; type="application/pdf"; length="12",' +
          '</b.csv>;rel=item;type=text/csv;charset=utf-8, <../meta>; REL="describedby"; Type="Text/XML; charset=utf-8"',
      ),
    ).toEqual([
      ['https://repo.example.org/a.pdf', 'item', { type: 'application/pdf', length: 12 }],
      ['https://repo.example.org/b.csv', 'item', { type: 'text/csv' }],
      ['https://repo.example.org/meta', 'describedby', { type: 'text/xml' }],
    ]);
  });

  test.each([
    ['commas and semicolons in the URI', '<http://a/b,c;d?e=f,g>; rel=item', 'http://a/b,c;d?e=f,g'],
    ['separators in quotes', '<http://a/b>; title="x, <http://c>; rel=no"; rel=item', 'http://a/b'],
    ['escaped quotes', String.raw`<http://a/b>; title="say \"rel=x\", \\"; rel="item"`, 'http://a/b'],
    ['empty elements', ' , ,, <http://a/b>;; ;rel=item, ,', 'http://a/b'],
    ['single quotes', "<http://a/b>; rel='item'", 'http://a/b'],
    ['blanks everywhere', '  < http://a/b >  ;  rel  =  "item"  ', 'http://a/b'],
    [
      'a link before it without brackets',
      'http://a/license;rel="license", <http://a/b>; rel="item"',
      'http://a/b',
    ],
    [
      'a link before it whose bracket is open',
      '<http://a/c ; rel="linkset", <http://a/b>; rel=item',
      'http://a/b',
    ],
    ['words after a link', '<http://a/c> rel=item oh, <http://a/b>; rel=item', 'http://a/b'],
    ['a quote that does not end', '<http://a/b>; rel=item; title="oh', 'http://a/b'],
  ])('is read with %s', (_, field, href) => {
    expect(read(field).map(([target, relation]) => [target, relation])).toEqual([[href, 'item']]);
  });

  test('names several relations at a time, and the first of repeated parameters counts', () => {
    expect(read('<http://a/b>; rel="Item  describedby"; rel=next; type=a/b; type=c/d')).toEqual([
      ['http://a/b', 'item describedby', { type: 'a/b' }],
    ]);
  });

  test('says what it is a link of, and gives titles in any script', () => {
    expect(
      read(
        `<a>; rel=item; anchor="#part"; title="?"; title*=UTF-8'ja'%E9%9B%A8, <b>; rel=item; title*=latin1''x`,
      ),
    ).toEqual([
      [
        'https://repo.example.org/records/a',
        'item',
        { context: 'https://repo.example.org/records/1#part', title: '雨' },
      ],
      ['https://repo.example.org/records/b', 'item', {}],
    ]);
  });

  test('leaves out what leads nowhere or says of no relation', () => {
    expect(read('<http://>; rel=item, <a>, <b>; rel="", <c>; rel=item; anchor="http://"')).toEqual([]);
    expect(read('')).toEqual([]);
    expect(read('nothing like it')).toEqual([]);
  });

  test.each([['<'], ['<,'], ['"'], ['<a>;'], ['<a>;x="'], ['<a>; rel=item,'], ['<a>;rel='], ['\\'], [', ']])(
    'of twice as many %j costs at most twice the steps',
    async (piece) => {
      const given = [100_000, 200_000].map((count) => [piece.repeat(count), base]);
      const [half, whole] = await countSteps(
        'src/core/signposting/link-field.ts',
        'parseLinkField',
        ...given,
      );
      expect(whole?.steps).toBeLessThan(2.1 * (half?.steps ?? 0));
    },
  );
});
