import { expect, test } from 'vitest';
import { inTwoColumns } from '../../../src/cli/crosswalk/two-columns.ts';

test('the right column stands at the same place whatever is on the left', () => {
  const left = ['dc.title a', 'dc.title 吉野家', 'dc.title 𠮷野家'];
  const columns = (line: string) => [...(line.split(' | ')[0] ?? '')].length;
  const lines = inTwoColumns(left, ['1', '2', '3']);
  expect(lines.map(columns)).toEqual([56, 53, 53]);
});
