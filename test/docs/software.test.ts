import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../src/core/config/config.ts';
import { blocksOf, pagesWithBlocks } from '../house/docs/blocks.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const known = readFileSync(join(docs, 'what-repositories-do.md'), 'utf8');
const pages = readdirSync(join(docs, 'software')).map((name) => [join('software', name)] as const);

const configured = pagesWithBlocks().flatMap((page) =>
  blocksOf(page).flatMap(({ language, text }) => (language === 'yaml' ? { page, text } : [])),
);

/** What may stand around a part that a page shows: nothing, a source, one of a DSpace; of alternatives each line is a part. */
const surroundings: readonly ((text: string) => unknown)[] = [
  (text) => {
    const settings = parse(text) as Record<string, unknown>;
    const group = settings.groups ? { group: Object.keys(settings.groups)[0] } : {};
    const sources = settings.sources ?? { repo: { url: 'https://repo.example.org/oai', ...group } };
    // Groups and files that are included are for sources that are elsewhere.
    return parseConfig({ groups: { jairo: {} }, ...settings, sources });
  },
  (text) => parseConfig({ sources: { repo: { url: 'https://repo.example.org/oai', ...parse(text) } } }),
  (text) => asDspace(parse(text)),
  (text) =>
    text
      .trim()
      .split('\n')
      .map((line) => asDspace(parse(line))),
];

function asDspace(settings: object): unknown {
  const url = 'https://repo.example.org/server/api';
  return parseConfig({ sources: { repo: { adapter: 'dspace', url, ...settings } } });
}

/** Why none of them makes a configuration of it; nothing where one does. */
function faultsOf(text: string): readonly string[] {
  const faults: string[] = [];
  for (const around of surroundings) {
    try {
      around(text);
      return [];
    } catch (error) {
      faults.push(String(error));
    }
  }
  return faults;
}

test.each(configured)('$page: $text is a configuration', ({ text }) => {
  // What is in a file of its own is there before the configuration is looked at.
  expect(
    faultsOf(
      text
        .replace(/\b(password|secret|token|url)File:/g, '$1:')
        .replace(/\$\{(\w+)\}/g, '$1-of-the-environment'),
    ),
  ).toEqual([]);
});

test.each(pages)('%s: each number is one of what repositories do', (page) => {
  const text = readFileSync(join(docs, page), 'utf8');
  const numbers = [...text.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, list = '']) => list.split(', '));
  if (!page.endsWith('README.md')) expect(numbers.length).toBeGreaterThan(3);
  for (const number of numbers)
    expect(known, `${page}: ${number}`).toMatch(new RegExp(`^\\| (?:${number}|22–24) \\|`, 'm'));
});
