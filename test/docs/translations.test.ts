import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'docs', 'ja');
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

const isHistory = git('rev-parse', '--is-shallow-repository')?.trim() === 'false';
if (!isHistory)
  process.stderr.write('SKIPPED: whether translations are behind is told by the history of git\n');

/** Of a page: `docs/start.md` of which commit it says in Japanese. */
function originOf(text: string): { readonly file: string; readonly commit: string } {
  const [, file = '', commit = ''] = /^<!-- 翻訳元: (\S+)（コミット ([0-9a-f]{12})） -->\n/.exec(text) ?? [];
  return { file, commit };
}

/** What a translation has to have alike: blocks of commands, and what is written as code. */
const blocksOf = (text: string) => [...text.matchAll(/^```[^\n]*\n(.*?)^```/gms)].map(([, block]) => block);

/** What people write and translate: what comes from the code is made from it in each language (`reference.test.ts`). */
const written = (text: string) => text.split('<!-- reference -->')[0];

describe.each(pages)('docs/ja/%s', (name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  const { file, commit } = originOf(text);

  test('says which commit of which page it is a translation of', () => {
    expect(file).toMatch(/\.md$/);
    expect(readFileSync(join(root, file), 'utf8').length).toBeGreaterThan(0);
  });

  test('has the commands of that page, and no others', () => {
    const withoutWords = (block: string | undefined) =>
      block
        ?.replace(/#.*$/gm, '')
        .replace(/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[、。（）ー]/gu, '')
        .trim();
    const there = blocksOf(readFileSync(join(root, file), 'utf8')).map(withoutWords);
    const here = blocksOf(text).map(withoutWords);
    // The picture of the pipeline is in words of each language.
    const commands = (blocks: (string | undefined)[]) => blocks.filter((block) => !block?.includes('→'));
    expect(commands(here)).toEqual(commands(there));
  });

  test.skipIf(!isHistory)(
    'is not behind: else translate what the difference shows, and name the new commit',
    () => {
      const then = git('show', `${commit}:${file}`);
      expect(then, `${commit} is no commit of this history`).toBeDefined();
      expect(written(readFileSync(join(root, file), 'utf8')), `git diff ${commit} HEAD -- ${file}`).toBe(
        written(then ?? ''),
      );
    },
  );
});
