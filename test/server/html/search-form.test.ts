import { expect, test } from 'vitest';
import { searchForm } from '../../../src/server/html/search-form.ts';
import { createReader } from '../../../src/server/words/reader.ts';

test('repositories that are called the same are told apart by their names', () => {
  const sources = [
    { name: 'kita', title: '北山大学' },
    { name: 'kita-old', title: '北山大学' },
    { name: 'minami', title: '南山大学' },
  ];
  const form = searchForm('https://bridge.example.org', {}, sources, createReader('ja')).text;
  const options = [...form.matchAll(/<option value="[^"]+">([^<]*)/g)].map(([, text]) => text);
  expect(options).toEqual(['北山大学 (kita)', '北山大学 (kita-old)', '南山大学']);
});
