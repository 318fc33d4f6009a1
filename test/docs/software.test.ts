import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../src/core/config/config.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const known = readFileSync(join(docs, 'what-repositories-do.md'), 'utf8');
const pages = ['software', 'ja'].flatMap((folder) =>
  readdirSync(join(docs, folder)).map((name) => [join(folder, name)] as const),
);

test.each(pages)('%s: what it has one write is a configuration', (page) => {
  const text = readFileSync(join(docs, page), 'utf8');
  for (const [, block = ''] of text.matchAll(/^```yaml\n(.*?)^```/gms)) {
    const settings = parse(block) as Record<string, unknown>;
    // Groups are for sources that are elsewhere.
    const sources = settings.sources ?? { repo: { url: 'https://repo.example.org/oai', group: 'jairo' } };
    expect(() => parseConfig({ ...settings, sources }), block).not.toThrow();
  }
});

test.each(pages.filter(([page]) => page.startsWith('software')))(
  '%s: each number is one of what repositories do',
  (page) => {
    const text = readFileSync(join(docs, page), 'utf8');
    const numbers = [...text.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, list = '']) => list.split(', '));
    if (!page.endsWith('README.md')) expect(numbers.length).toBeGreaterThan(3);
    for (const number of numbers)
      expect(known, `${page}: ${number}`).toMatch(new RegExp(`^\\| (?:${number}|22–24) \\|`, 'm'));
  },
);
