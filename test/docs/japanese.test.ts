import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The last column of the table in CONTRIBUTING.md: what is said by another word here. */
const refused = [
  ...(read('CONTRIBUTING.md')
    .split('## Japanese\n')[1]
    ?.split('\n## ')[0]
    ?.matchAll(/^\| [^|]+ \| [^|]+ \| ([^|]+) \|$/gm) ?? []),
]
  .flatMap(([, words = '']) => words.trim().split('、'))
  .filter((word) => /\p{Script=Han}|\p{Script=Katakana}/u.test(word));

/** サーバ is no サーバー. */
const otherWords = new RegExp(`(?:${refused.join('|')})(?!ー)`);

const files = [
  ...readdirSync(join(root, 'docs', 'ja')).map((name) => join('docs', 'ja', name)),
  ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join('src', file)),
];

test('pages, mails and docs/ja say one thing by one Japanese word', () => {
  expect(refused).toEqual(expect.arrayContaining(['収集', '集合', 'データ提供元', 'サーバ']));
  expect(otherWords.test('全件を収集します')).toBe(true);
  expect(otherWords.test('サーバが応答しません')).toBe(true);
  expect(otherWords.test('サーバーが応答しません')).toBe(false);
  const found = files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) => (otherWords.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(found, 'see the table in CONTRIBUTING.md').toEqual([]);
});
