import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** A fenced block of a page, wherever it is indented. */
export interface Block {
  /** `sh` where a page says nothing: what is typed. */
  readonly language: string;
  /** What it needs beside a shell, a bridge and curl: a program, `postgres`, `s3`, a `token`, a `fresh` bridge, or a `private` source. */
  readonly needs: string;
  readonly text: string;
}

/** README, `docs` and what lies below it, by their paths. */
export function pagesWithBlocks(): readonly string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return ['README.md', ...docs.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)]
    .map((file) => file.replaceAll('\\', '/'))
    .filter((page) => blocksOf(page).length > 0)
    .sort();
}

export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^( *)```([^\n]*)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', info = '', body = '']) => {
      const [language = '', needs = ''] = info.split(' ');
      const lines = body
        .split('\n')
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
      return { language: language === '' ? unnamed(body) : language, needs, text: lines.join('\n') };
    },
  );
}

/** The picture of the pipeline in README is no command. */
function unnamed(body: string): string {
  return body.includes('→') ? 'text' : 'sh';
}
