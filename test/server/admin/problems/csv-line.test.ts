import { expect, test } from 'vitest';
import { csvLine } from '../../../../src/server/admin/problems/csv-line.ts';

test('a line is one as RFC 4180 says, whatever is in its values', () => {
  expect(csvLine(['a', undefined, 'b "c", d', 'e\nf', '雪国'])).toBe('a,,"b ""c"", d","e\nf",雪国\r\n');
});

test.each([
  '=HYPERLINK("http://evil.example","x")',
  '+1',
  '-1+1|cmd',
  '@SUM(1)',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '\u200b=1',
  '＝1',
  '|calc',
])('what a spreadsheet takes for a formula is a text: %j', (value) => {
  const cell = csvLine([value]).trimEnd();
  expect(cell.replace(/^"/, '').startsWith("'")).toBe(true);
  expect(cell.replaceAll('""', '"')).toContain(value.trimEnd());
});

test('what is none stays as it is', () => {
  for (const value of ['oai:repo.example:1', '2026-11-23', 'a=b', 'https://r.example/?a=1'])
    expect(csvLine([value])).toBe(`${value}\r\n`);
});
