import { expect, test } from 'vitest';
import { rawRecord } from '../../src/core/problem.ts';

const most = 65_536;

test('a record that could not be read is kept as it came', () => {
  expect(rawRecord('<récord>')).toEqual({ text: '<récord>', length: 9 });
  expect(rawRecord('')).toEqual({ text: '', length: 0 });
  expect(rawRecord('x'.repeat(most))).toEqual({ text: 'x'.repeat(most), length: most });
});

test('of a long one the beginning is kept, and how long it was', () => {
  expect(rawRecord('x'.repeat(most + 1))).toEqual({ text: 'x'.repeat(most), length: most + 1 });
});

test.each(['é', '文', '😀'])('no %s is cut in two', (character) => {
  for (let before = most - 4; before <= most; before += 1) {
    const text = 'x'.repeat(before) + character + 'y'.repeat(9);
    const kept = rawRecord(text).text;
    expect(text.startsWith(kept), String(before)).toBe(true);
    const missing = most - Buffer.byteLength(kept);
    expect(missing).toBeGreaterThanOrEqual(0);
    expect(missing).toBeLessThan(Buffer.byteLength(character));
  }
});
