import { expect, test } from 'vitest';
import { RecentlyUsed } from '../../../src/core/memory/recently-used.ts';

function kept(memory: RecentlyUsed<string, string>, keys: string): string {
  return [...keys].filter((key) => memory.get(key) !== undefined).join('');
}

test('what is used stays, however many others come, and what is not used goes, the first first', () => {
  const memory = new RecentlyUsed<string, string>(3);
  const forgotten = [...'abcdefgh'].flatMap((key) => {
    memory.get('b');
    return memory.add(key, key);
  });
  expect(forgotten.join('')).toBe('acdef');
  expect(memory.count).toBe(3);
  expect(kept(memory, 'abcdefgh')).toBe('bgh');
});

test('a use counts until others were forgotten past it', () => {
  const memory = new RecentlyUsed<string, string>(2);
  memory.add('a', 'a');
  memory.get('a');
  memory.add('b', 'b');
  expect(memory.add('c', 'c')).toEqual(['b']);
  expect(memory.add('d', 'd')).toEqual(['c']);
  expect(memory.add('e', 'e')).toEqual(['a']);
});

test('what comes last stays, even where it takes more than there is room for', () => {
  const memory = new RecentlyUsed<string, string>(10);
  for (const key of 'ab') memory.add(key, key, 4);
  for (const key of 'ab') memory.get(key);
  expect(memory.add('c', 'c', 40)).toEqual(['a', 'b']);
  expect(kept(memory, 'abc')).toBe('c');
  expect(memory.add('d', 'd', 4)).toEqual(['c']);
});

test('what is added again is there once, and what is deleted gives its room back', () => {
  const memory = new RecentlyUsed<string, string>(10);
  memory.add('a', 'short', 2);
  memory.add('a', 'long', 6);
  expect(memory.get('a')).toBe('long');
  expect(memory.add('b', 'b', 4)).toEqual([]);
  memory.delete('a');
  memory.delete('a');
  expect(memory.add('c', 'c', 6)).toEqual([]);
  memory.clear();
  expect(memory.count).toBe(0);
  expect(memory.add('d', 'd', 10)).toEqual([]);
});
