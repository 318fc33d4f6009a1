import { expect, it } from 'vitest';
import { checkSource } from '../../../src/conformance/survey/source-check.ts';

const open = (root: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">`;
const uri = (name: string) => `https://example.org/${name}`;
const ln = (rel: string, name: string) => `<rs:ln rel="${rel}" href="${uri(name)}"/>`;
const md = (attributes: string) => `<rs:md ${attributes}/>`;
const [first, second, third] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'];

function doc(root: 'urlset' | 'sitemapindex', head: string, ...entries: string[]): string {
  const element = root === 'urlset' ? 'url' : 'sitemap';
  return `${open(root)}${head}${entries.map((entry) => `<${element}>${entry}</${element}>`).join('')}</${root}>`;
}

/** A small Source that is right in every respect. */
const source: Readonly<Record<string, string>> = {
  sd: doc(
    'urlset',
    ln('describedby', 'about') + md('capability="description"'),
    `<loc>${uri('cap')}</loc>${md('capability="capabilitylist"')}${ln('describedby', 'about')}`,
  ),
  cap: doc(
    'urlset',
    ln('describedby', 'about') + ln('up', 'sd') + md('capability="capabilitylist"'),
    `<loc>${uri('rli')}</loc>${md('capability="resourcelist"')}`,
    `<loc>${uri('cli')}</loc>${md('capability="changelist"')}`,
  ),
  rli: doc(
    'sitemapindex',
    ln('up', 'cap') + md(`capability="resourcelist" at="${first}"`),
    `<loc>${uri('rl1')}</loc>${md(`at="${first}"`)}`,
  ),
  rl1: doc('urlset', ln('up', 'cap') + ln('index', 'rli') + md(`capability="resourcelist" at="${first}"`)),
  cli: doc(
    'sitemapindex',
    ln('up', 'cap') + md(`capability="changelist" from="${first}"`),
    `<loc>${uri('cl1')}</loc>${md(`from="${first}" until="${second}"`)}`,
    `<loc>${uri('cl2')}</loc>${md(`from="${second}"`)}`,
  ),
  cl1: doc(
    'urlset',
    ln('up', 'cap') + ln('index', 'cli') + md(`capability="changelist" from="${first}" until="${second}"`),
  ),
  cl2: doc('urlset', ln('up', 'cap') + ln('index', 'cli') + md(`capability="changelist" from="${second}"`)),
};

async function rulesOf(
  changed: Record<string, string | undefined>,
  start = 'sd',
): Promise<readonly string[]> {
  const documents: Record<string, string | undefined> = { ...source, ...changed };
  const checked = await checkSource(uri(start), async (asked) => {
    const text = documents[asked.slice(uri('').length)];
    return text === undefined ? undefined : chunksOf(text);
  });
  return [...new Set(checked.flatMap(({ findings }) => findings.map(({ rule }) => rule)))];
}

async function* chunksOf(text: string) {
  yield Buffer.from(text);
}

const edit = (name: string, from: string, to: string) => ({
  [name]: (source[name] ?? '').replaceAll(from, to),
});

it.each(Object.keys(source))('a correct Source has no finding, from %s on', async (start) => {
  expect(await rulesOf({}, start)).toEqual([]);
});

const misspelt = { rl1: (source.rl1 ?? '').replace('"resourcelist"', '"resourceList"') };
const lateIndex = {
  rl1: (source.rl1 ?? '')
    .replace(ln('index', 'rli'), '')
    .replace('</urlset>', `<url><loc>${uri('x')}</loc></url>${ln('index', 'rli')}</urlset>`),
};
const lateMd = {
  rli: (source.rli ?? '')
    .replace(/<rs:md capability[^>]*>/, '')
    .replace('</sitemapindex>', `${md(`capability="resourcelist" at="${first}"`)}$&`),
};

it.each([
  ['a part without rs:md', { rl1: (source.rl1 ?? '').replace(/<rs:md[^>]*>/, '') }, ['RS-GEN-02']],
  ['a part without capability', edit('rl1', 'capability="resourcelist"', ''), ['RS-GEN-03']],
  ['a part whose capability is misspelt', misspelt, ['RS-GEN-04', 'RS-RL-01']],
  ['a part in another namespace', edit('cl1', 'http://www.sitemaps', 'https://www.sitemaps'), ['RS-GEN-01']],
  ['a Capability List without capability', edit('cap', 'capability="capabilitylist"', ''), ['RS-GEN-03']],
  ['a late index link', lateIndex, ['RS-GEN-20']],
  ['an index with a late rs:md', lateMd, ['RS-GEN-20']],
  ['a Capability List without up', edit('cap', ln('up', 'sd'), ''), ['RS-CAP-03', 'RS-NAV-01']],
  ['a part without its index', edit('rl1', ln('index', 'rli'), ''), ['RS-NAV-03', 'RS-RL-05']],
  [
    'a part under the Source Description',
    edit('rl1', ln('up', 'cap'), ln('up', 'sd')),
    ['RS-NAV-01', 'RS-RL-04'],
  ],
  [
    'a part without from and until',
    edit('cl1', ` from="${first}" until="${second}"`, ''),
    ['RS-A-06', 'RS-CL-02'],
  ],
  ['a part whose from is no time', edit('cl2', `from="${second}"`, 'from="x"'), ['RS-TIME-01']],
] as const)('one defect is not reported as several: %s', async (_, changed, rules) => {
  expect([...(await rulesOf(changed))].sort()).toEqual([...rules]);
});

it.each([
  ['RS-SD-04', 'a Capability List that is not there', { cap: undefined }, 'sd'],
  ['RS-CAP-07', 'a list that is not there', { cli: undefined }, 'sd'],
  ['RS-RLI-06', 'a part that is not there', { rl1: undefined }, 'sd'],
  ['RS-CLI-05', 'a Change List that is not there', { cl1: undefined }, 'sd'],
  ['RS-NAV-01', 'up leads to the wrong kind', edit('rl1', uri('cap'), uri('sd')), 'sd'],
  ['RS-NAV-02', 'up ends before the Source Description', edit('cap', uri('sd'), uri('rli')), 'cap'],
  ['RS-NAV-03', 'a part without its index', edit('rl1', uri('rli'), uri('cli')), 'sd'],
  ['RS-NAV-05', 'a capability that the target does not have', edit('cap', uri('cli'), uri('rl1')), 'sd'],
  ['RS-NAV-07', 'a list that its Capability List does not know', edit('cap', uri('rli'), uri('rl1')), 'rli'],
  ['RS-NAV-09', 'another scheme', edit('rli', 'https://example.org/rl1', 'http://example.org/rl1'), 'sd'],
  ['RS-GEN-05', 'a member of another capability', edit('rli', uri('rl1'), uri('cl2')), 'sd'],
  ['RS-GEN-06', 'an index in an index', edit('cli', uri('cl2'), uri('cli')), 'sd'],
  ['RS-RLI-08', 'another at', edit('rl1', first, second), 'sd'],
  ['RS-CLI-06', 'another from', edit('cl2', second, third), 'sd'],
  ['RS-CLI-07', 'a closed list listed as open', edit('cli', ` until="${second}"`, ''), 'sd'],
  ['RS-CLI-07', 'another until', edit('cl1', `until="${second}"`, `until="${third}"`), 'sd'],
  ['RS-CLI-08', 'an open list listed as closed', edit('cl1', ` until="${second}"`, ''), 'sd'],
  ['RS-CL-16', 'a gap between lists', edit('cli', `from="${second}"`, `from="${third}"`), 'sd'],
] as const)('%s: %s', async (rule, _, changed, start) => {
  const documents: Record<string, string | undefined> = { ...changed };
  if (rule === 'RS-NAV-09') documents['http://example.org/rl1'] = source.rl1;
  const checked = await checkSource(uri(start), async (asked) => {
    const all: Record<string, string | undefined> = { ...source, ...documents };
    const text = all[asked] ?? all[asked.slice(uri('').length)];
    return text === undefined ? undefined : chunksOf(text);
  });
  expect(checked.flatMap(({ findings }) => findings.map((finding) => finding.rule))).toContain(rule);
});
