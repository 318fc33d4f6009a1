import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findFaults } from '../../../src/core/xml/record-faults.ts';
import { runs } from '../../house/runs.ts';

const places = (text: string, more: { isCut?: boolean; undeclaredPrefix?: string } = {}) =>
  findFaults({ text, ...more }).map(({ kind, offset, length, line, column }) => [
    kind,
    text.slice(offset, offset + length),
    `${line}:${column}`,
  ]);

test('characters, references and markup are found where they are, in their order', () => {
  expect(places('<r>\n<a>x & y</a>\n<b>\u0008</b><c>&nbsp;</c><d>&#8; &#x41; &amp;</d></r>')).toEqual([
    ['reference', '&', '2:6'],
    ['character', '\u0008', '3:4'],
    ['reference', '&nbsp;', '3:12'],
    ['reference', '&#8;', '3:25'],
  ]);
  expect(places('<r>\n<a>x</b>\n</r>')).toEqual([['markup', '</b>', '2:5']]);
  expect(places('<r><a b="1" b="2"/></r>')).toEqual([['markup', '<a b="1" b="2"/>', '1:4']]);
});

test('the column counts characters, and the byte is one of UTF-8', () => {
  const [fault] = findFaults({ text: '<r>\n😀日本 &</r>' });
  expect(fault).toMatchObject({ line: 2, column: 5, byte: 15, offset: 9 });
});

test('what is right is no fault: text that is not read, prefixes of the envelope, an end that was not kept', () => {
  expect(places('<r><![CDATA[a & b]]><!-- & --></r>')).toEqual([]);
  expect(places('<r><xsi:a/></r>')).toEqual([]);
  expect(places('<r><dc:a/></r>', { undeclaredPrefix: 'dc' })).toEqual([['markup', '<dc:a/>', '1:4']]);
  expect(places('<r><a>not to the e', { isCut: true })).toEqual([]);
  expect(places('<r><a>not to the e')).toEqual([['markup', 'e', '1:18']]);
  expect(places('{"an": "item & more"}')).toEqual([]);
});

test('whatever comes, places are within the text, do not overlap but with markup, and are said to be where they are', () => {
  const piece = fc.constantFrom(
    '<a>',
    '</a>',
    '<b c="d">',
    '&',
    '&amp;',
    '\u0000',
    '日',
    '\n',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '"',
    '<',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = `<r>${pieces.join('')}`;
      for (const { offset, length, line, column, byte } of findFaults({ text })) {
        expect(offset + length).toBeLessThanOrEqual(text.length);
        expect(length).toBeGreaterThan(0);
        const before = text.slice(0, offset);
        expect(before.split('\n')).toHaveLength(line);
        expect([...(before.split('\n').at(-1) ?? '')]).toHaveLength(column - 1);
        expect(byte).toBe(Buffer.byteLength(before));
      }
    }),
    { numRuns: runs(200) },
  );
});
