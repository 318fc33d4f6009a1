import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ContentComparison, compareContents } from '../../../src/core/comparison/comparison.ts';
import { countSteps } from '../../house/process/steps.ts';
import { runs } from '../../house/runs.ts';

const bytes = (text: string) => Buffer.from(text);
const dc = (inner: string) => bytes(`<oai_dc:dc xmlns:oai_dc="urn:o" xmlns:dc="urn:dc">${inner}</oai_dc:dc>`);

function told(before: Uint8Array, after: Uint8Array) {
  const comparison = compareContents(before, after);
  const lines = comparison?.changes.map(({ kind, path, before: old, after: now, size }) =>
    [kind, path, old, now, size].filter((part) => part !== undefined).join('|'),
  );
  return [...(lines ?? ['incomparable']), ...(comparison?.asides ?? [])];
}

describe('what changed in XML', () => {
  test.each<[string, string, string, string[]]>([
    ['a value', '<dc:title>old</dc:title>', '<dc:title>new</dc:title>', ['changed|dc:title|old|new']],
    ['something more', '', '<dc:subject>x</dc:subject>', ['added|dc:subject|x']],
    [
      'something less, wherever it was',
      '<dc:subject>x</dc:subject><dc:subject>y</dc:subject>',
      '<dc:subject>y</dc:subject>',
      ['removed|dc:subject|x'],
    ],
    [
      'one of several, by its number',
      '<dc:subject>a b</dc:subject><dc:subject>c d</dc:subject>',
      '<dc:subject>a b</dc:subject><dc:subject>c e</dc:subject>',
      ['changed|dc:subject[2]|c d|c e'],
    ],
    [
      'the one that is most alike',
      '<dc:creator>Smith, John</dc:creator><dc:creator>Doe, Jane</dc:creator>',
      '<dc:creator>Doe, Jane M.</dc:creator><dc:creator>Roe, Richard</dc:creator><dc:creator>Smith, John</dc:creator>',
      [
        'changed|dc:creator[2]|Doe, Jane|Doe, Jane M.',
        'added|dc:creator|Roe, Richard',
        'moved|dc:creator|Smith, John',
      ],
    ],
    [
      'attributes',
      '<dc:title xml:lang="en" a="1">t</dc:title>',
      '<dc:title xml:lang="de" b="2">t</dc:title>',
      ['added|dc:title/@b|2', 'changed|dc:title/@xml:lang|en|de', 'removed|dc:title/@a|1'],
    ],
    [
      'the one with these attributes',
      '<f e="title">a</f><f e="date">2020</f>',
      '<f e="title">a</f><f e="date">2021</f>',
      ['changed|f[e=date]|2020|2021'],
    ],
    [
      'the one with this ID, whatever else it says',
      '<f ID="a" size="1">x</f><f ID="b" size="2">y</f>',
      '<f ID="b" size="3">y</f><f ID="a" size="1">x</f>',
      ['changed|f[ID=b]/@size|2|3', 'moved|f[ID=a]|x'],
    ],
    [
      'deep within',
      '<n><part>J</part><part>S</part></n>',
      '<n><part>J</part><part>T</part></n>',
      ['changed|n/part[2]|S|T'],
    ],
    [
      'a whole subtree in one line',
      '',
      '<n type="personal"><part>John</part><role>author</role></n>',
      ['added|n[type=personal]|John author|3'],
    ],
    ['order alone', '<a>1</a><b>2</b>', '<b>2</b><a>1</a>', ['moved|a|1']],
    ['the order of many in one line', '<a>1</a><b>2</b><c>3</c>', '<c>3</c><b>2</b><a>1</a>', ['moved||2']],
    [
      'text among elements',
      '<p>see <b>x</b> now</p>',
      '<p>see <b>x</b> then</p>',
      ['changed|p/text()[2]| now| then'],
    ],
    ['white space alone', '<a>x  y</a><b/>', '\n  <a>x y</a>\n  <b/>\n', ['whitespace']],
    ['comments alone', '<a/><!-- x -->', '<a/><!-- y -->', ['comments']],
    [
      'quotes, references, CDATA: nothing',
      '<a b="x">&lt;&#65;</a>',
      "<a b='x'><![CDATA[<A]]></a>",
      ['writing'],
    ],
    ['nothing', '<a/>', '<a/>', []],
    ['references resolved', '<a>x &amp; y</a>', '<a>x &lt; y</a>', ['changed|a|x & y|x < y']],
  ])('%s', (_, before, after, expected) => {
    expect(told(dc(before), dc(after))).toEqual(expected);
  });

  test('prefixes mean what they are bound to', () => {
    const other = '<o:dc xmlns:o="urn:o"><title xmlns="urn:dc">t</title></o:dc>';
    expect(told(dc('<dc:title>t</dc:title>'), bytes(other))).toEqual(['writing']);
    expect(told(dc('<dc:title>t</dc:title>'), bytes(other.replace('urn:dc', 'urn:d')))).toEqual([
      'removed|dc:title|t',
      'added|title|t',
    ]);
  });

  test('another root is another document', () => {
    expect(told(bytes('<a>x</a>'), bytes('<b><c>x</c><c>y</c></b>'))).toEqual([
      'removed|a|x',
      'added|b|x y|3',
    ]);
  });

  test.each([
    ['<a>', '<a/>'],
    ['<!DOCTYPE a><a/>', '<a/>'],
    ['plain', 'text'],
    ['<a/>', '{"a":1}'],
    [`<a>${'<b>'.repeat(300)}${'</b>'.repeat(300)}</a>`, '<a/>'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, '[]'],
  ])('cannot be compared: %.20s', (before, after) => {
    expect(compareContents(bytes(before), bytes(after))).toBeUndefined();
  });

  test('of thousands of changes the first are told, all are counted, and twice as many cost twice the steps', async () => {
    const mets = (files: number, edit: (at: number) => string) =>
      bytes(
        `<mets>${Array.from({ length: files }, (_, at) => `<file ID="f${at}"><FLocat>https://example.org/files/${edit(at)}.tif</FLocat></file>\n`).join('')}</mets>`,
      );
    const given = [4500, 9000].map((files) => [
      mets(files, (at) => `p${at}`),
      mets(files, (at) => `q${files - 1 - at}`),
      50,
    ]);
    const file = 'src/core/comparison/comparison.ts';
    const [half, whole] = await countSteps<ContentComparison>(file, 'compareContents', ...given);
    expect(whole?.result).toMatchObject({ count: 9000 });
    expect(whole?.result.changes).toHaveLength(50);
    expect(whole?.steps).toBeLessThan(2.2 * (half?.steps ?? 0));
  });
});

describe('what changed in JSON', () => {
  test.each<[unknown, unknown, string[]]>([
    [
      { metadata: { 'dc.title': [{ value: 'A', place: 0 }] } },
      { metadata: { 'dc.title': [{ value: 'B', place: 0 }] } },
      ['changed|metadata["dc.title"][0].value|"A"|"B"'],
    ],
    [{ a: 5 }, { a: '5' }, ['changed|a|5|"5"']],
    [{ a: [1] }, { a: { b: 1 } }, ['removed|a|[1]|2', 'added|a|{"b":1}|2']],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, ['writing']],
    [
      [
        { uuid: 'x', n: 1 },
        { uuid: 'y', n: 2 },
      ],
      [{ uuid: 'y', n: 3 }],
      ['removed|[0]|{"uuid":"x","n":1}|3', 'changed|[1].n|2|3'],
    ],
    [[1, 2, 3], [1, 3], ['removed|[1]|2']],
    [null, [], ['incomparable']],
    [[null], [false], ['changed|[0]|null|false']],
  ])('%j, then %j', (before, after, expected) => {
    expect(told(bytes(JSON.stringify(before)), bytes(JSON.stringify(after)))).toEqual(expected);
  });
});

interface Element {
  readonly name: string;
  readonly attribute: string;
  readonly content: string | readonly Element[];
}

const { element } = fc.letrec<{ element: Element }>((tie) => ({
  element: fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    attribute: fc.constantFrom('', ' ID="1"', ' x="1"', ' x="2"'),
    content: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('', 'x', 'x y', 'z'),
      fc.array(tie('element'), { minLength: 1, maxLength: 5 }),
    ),
  }),
}));

function write({ name, attribute, content }: Element): string {
  const inner = typeof content === 'string' ? content : content.map(write).join('\n');
  return `<${name}${attribute}>${inner}</${name}>`;
}

test('a difference is told if and only if there is one, both ways', () => {
  fc.assert(
    fc.property(element, element, (one, other) => {
      const [a, b] = [bytes(`<r>${write(one)}</r>`), bytes(`<r>${write(other)}</r>`)];
      const there = compareContents(a, b);
      const back = compareContents(b, a);
      expect(there === undefined).toBe(false);
      expect((there?.count ?? 0) > 0).toBe(!a.equals(b));
      expect((back?.count ?? 0) > 0).toBe((there?.count ?? 0) > 0);
      expect(compareContents(a, a)).toMatchObject({ count: 0, asides: [] });
    }),
    { numRuns: runs(200) },
  );
});

test('the prefix xml means the same, declared or not', () => {
  const declared = 'xmlns:xml="http://www.w3.org/XML/1998/namespace"';
  const title = (more: string) => dc(`<dc:title${more} xml:lang="en">t</dc:title>`);
  expect(compareContents(title(''), title(` ${declared}`))?.changes).toEqual([]);
});
