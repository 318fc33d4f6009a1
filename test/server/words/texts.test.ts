import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { languages } from '../../../src/server/words/language.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'server', 'words');
const modules = await Promise.all(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map(async (name) => (await import(pathToFileURL(join(folder, name)).href)) as Record<string, unknown>),
);
const texts = modules.flatMap((module) =>
  Object.entries(module).filter(([name]) => name.endsWith('Words')),
) as [name: string, texts: Record<string, object>][];

test('there are texts, each in every language', () => {
  expect(texts.length).toBeGreaterThan(5);
  for (const [name, words] of texts) expect(Object.keys(words), name).toEqual([...languages]);
});

/** The same in both: signs and abbreviations. */
const shared = /^[\s\d\p{P}\p{S}]*$|^pp?\. /u;

test.each(texts)('%s: Japanese is written in Japanese', (_, words) => {
  for (const [place, text] of textsOf(words.ja ?? {})) {
    if (shared.test(text)) continue;
    expect(text, place).toMatch(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u);
    // Between Japanese characters there is Japanese punctuation.
    expect(text, place).not.toMatch(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}][,.;?!()]/u);
    expect(text, place).not.toMatch(/[<>]|undefined|\[object/);
  }
});

function* textsOf(value: unknown, place = ''): Generator<[place: string, text: string]> {
  if (typeof value === 'string') yield [place, value];
  else if (typeof value === 'function') yield [place, String(value('7', '8', '9', '6'))];
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) yield* textsOf(inner, `${place}.${key}`);
}
