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

/** Names of other things that are written like a rule. */
const noRules = new Set(['CRC-32', 'MPEG-21', 'UTF-16']);

/** The rules that a folder names, by whatever prefix; `TM-01…03` names three. */
function rulesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .flatMap((file) => [
      ...readFileSync(join(root, folder, file), 'utf8').matchAll(
        /\b([A-Z]{2,}(?:-[A-Z]+)?)-(\d\d)(?:…(\d\d))?(?!\d|-\d)\b/g,
      ),
    ])
    .filter(([name]) => !noRules.has(name))
    .flatMap(([, prefix, first, last]) => {
      const count = Math.max(1, Number(last ?? first) - Number(first) + 1);
      return Array.from(
        { length: count },
        (_, index) => `${prefix}-${String(Number(first) + index).padStart(2, '0')}`,
      );
    });
}

test.each([
  ['src', '.ts'],
  ['adapters', '.ts'],
  ['test', '.ts'],
  ['docs', '.md'],
])('every rule that %s names has a row with its section', (folder, ending) => {
  const missing = new Set(rulesIn(folder, ending).filter((rule) => rows.get(rule)?.section === undefined));
  expect([...missing]).toEqual([]);
});

test('rules are found by any prefix, and in a range', () => {
  expect(rulesIn('test', '.ts')).toEqual(
    expect.arrayContaining(['ME-01', 'TM-04', 'HC-01', 'WL-14', 'DG-02']),
  );
});

test('a row has the anchor that its rule is linked by', () => {
  expect(rows.size).toBeGreaterThan(250);
  for (const [rule, { anchor, section }] of rows) {
    expect(anchor).toBe(rule.toLowerCase());
    if (rule.startsWith('RS-')) expect(section, rule).toMatch(/^(?:§ \d|Appendix A|Table \d|the XML schema)/);
    else if (!rule.startsWith('AR-')) expect(section, rule).toMatch(/^(?:§ \d|RFC \d|–$)/);
  }
});

test('a link to a rule leads to its row', () => {
  for (const [, rule = '', anchor] of page.matchAll(/\[((?:RS-[A-Z]+|AR)-\d\d)\]\(#([^)]+)\)/g)) {
    expect(anchor).toBe(rows.get(rule)?.anchor);
  }
});

test('a test that a row names is there', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  const named = [...page.matchAll(/`([\w/-]+\.test\.ts)`: ([^;|]+)/g)];
  expect(named.length).toBeGreaterThan(60);
  for (const [, file = '', title = ''] of named) {
    const texts = files.filter((one) => one.replaceAll('\\', '/').endsWith(`/${file}`));
    const isThere = texts.some((one) => readFileSync(join(root, 'test', one), 'utf8').includes(title.trim()));
    expect(isThere, `${file}: ${title}`).toBe(true);
  }
});
