import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'conformance.md'), 'utf8');

/** The ids of the rules that have a row, each with its section. */
const rows = new Map(
  [...page.matchAll(/^\| <a id="([a-z-]+\d\d)"><\/a>([A-Z-]+\d\d) \| ([^|]+) \|/gm)].map(
    ([, anchor, rule, section]) => [rule ?? '', { anchor, section: section?.trim() }] as const,
  ),
);

function rulesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .flatMap(
      (file) => readFileSync(join(root, folder, file), 'utf8').match(/\b(?:RS-[A-Z]+|AR)-\d\d\b/g) ?? [],
    );
}

test.each([
  ['src', '.ts'],
  ['adapters', '.ts'],
  ['docs', '.md'],
])('every rule that %s names has a row with its section', (folder, ending) => {
  const missing = new Set(rulesIn(folder, ending).filter((rule) => rows.get(rule)?.section === undefined));
  expect([...missing]).toEqual([]);
});

test('a row has the anchor that its rule is linked by', () => {
  expect(rows.size).toBeGreaterThan(250);
  for (const [rule, { anchor, section }] of rows) {
    expect(anchor).toBe(rule.toLowerCase());
    if (rule.startsWith('RS-')) expect(section, rule).toMatch(/^(?:§ \d|Appendix A|Table \d|the XML schema)/);
  }
});

test('a link to a rule leads to its row', () => {
  for (const [, rule = '', anchor] of page.matchAll(/\[((?:RS-[A-Z]+|AR)-\d\d)\]\(#([^)]+)\)/g)) {
    expect(anchor).toBe(rows.get(rule)?.anchor);
  }
});
