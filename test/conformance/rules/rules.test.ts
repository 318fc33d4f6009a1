import { describe, expect, it } from 'vitest';
import { checkDocument } from '../../../src/conformance/rules/document-check.ts';
import { valid } from '../../house/conformance/documents.ts';
import { cases } from '../../house/conformance/rule-cases.ts';

async function findingsOf(text: string | Uint8Array) {
  async function* chunks() {
    const bytes = Buffer.from(text as string);
    for (let start = 0; start < bytes.length; start += 1000) yield bytes.subarray(start, start + 1000);
  }
  return (await checkDocument(chunks())).findings;
}

describe('a correct document of each kind has no finding', () => {
  it.each(Object.keys(valid))('%s', async (kind) => {
    expect(await findingsOf(valid[kind as keyof typeof valid])).toEqual([]);
  });
});

describe('every rule is found where it is broken, at its severity', () => {
  it.each(
    cases.map(
      ({ rule, kind, what, ...rest }) => [`${rule}: ${what} (${kind})`, { rule, kind, ...rest }] as const,
    ),
  )('%s', async (_, { rule, kind, replace, by, severity }) => {
    const text = valid[kind];
    expect(replace.test(text), `${replace} occurs in ${kind}`).toBe(true);
    const findings = await findingsOf(text.replace(replace, by));
    const found = findings.filter((finding) => finding.rule === rule);
    expect(found.length, JSON.stringify(findings)).toBeGreaterThan(0);
    expect(found[0]?.severity).toBe(severity);
  });
});

describe('one defect is not reported as several', () => {
  const late = (kind: keyof typeof valid, element: RegExp) => {
    const [found = ''] = element.exec(valid[kind]) ?? [];
    return valid[kind].replace(found, '').replace(/<\/(urlset|sitemapindex)>/, `${found}$&`);
  };
  it.each([
    ['a late rs:md', late('RL', /<rs:md capability[^>]*>/), ['RS-GEN-20']],
    ['a late up', late('CL', /<rs:ln rel="up"[^>]*>/), ['RS-GEN-20']],
    ['a late rs:md of an index', late('CLI', /<rs:md capability[^>]*>/), ['RS-GEN-20']],
    [
      'another root namespace',
      valid.RL.replace('http://www.sitemaps', 'https://www.sitemaps'),
      ['RS-GEN-01'],
    ],
    ['another rs namespace', valid.RL.replace('rs/terms/"', 'rs/terms"'), ['RS-GEN-16']],
    ['a prefixed capability', valid.CL.replace('capability=', 'rs:capability='), ['RS-GEN-14']],
    ['a prefixed rel', valid.CAP.replace('rel="up"', 'rs:rel="up"'), ['RS-GEN-14']],
    ['describedby without href', valid.SD.replace(/href="[^"]*"/, ''), ['RS-GEN-12']],
    ['a memento of no time', valid.RL.replace(/ modified="[^"]*"/, ''), ['RS-LN-20']],
    [
      'an index of Source Descriptions that says what they are',
      valid.SDI.replaceAll('</loc>', '</loc><rs:md capability="description"/>'),
      [],
    ],
  ])('%s', async (_, text, rules) => {
    const found = await findingsOf(text);
    expect([...new Set(found.map(({ rule }) => rule))], JSON.stringify(found)).toEqual(rules);
  });

  it('and a late rs:md tells the kind all the same', async () => {
    const { kind, head } = await checkDocument(once(Buffer.from(late('RL', /<rs:md capability[^>]*>/))));
    expect(kind).toBe('RL');
    expect(head?.md[0]?.get('at')).toBe('2026-01-02T00:00:00Z');
  });
});

it('RS-GEN-19: bytes that are not UTF-8 are an error', async () => {
  const bytes = Buffer.concat([Buffer.from(valid.RL.slice(0, 200)), Buffer.from([0xff, 0xfe])]);
  const { findings } = await checkDocument(once(bytes));
  expect(findings).toContainEqual(expect.objectContaining({ rule: 'RS-GEN-19', severity: 'error' }));
});

it('RS-GEN-19: elements nested without end are not followed', async () => {
  const { findings, whole } = await checkDocument(
    once(Buffer.from(`<?xml version="1.0"?>${'<a>'.repeat(100_000)}`)),
  );
  expect(whole).toBe(false);
  expect(findings).toContainEqual(
    expect.objectContaining({
      rule: 'RS-GEN-19',
      severity: 'error',
      message: expect.stringContaining('nested'),
    }),
  );
});

it('RS-LN-16: a resource and its metadata lead to each other, where both directions are used', async () => {
  const link = (rel: string, name: string) => `<rs:ln rel="${rel}" href="https://example.org/${name}"/>`;
  const profile = '<rs:ln rel="profile" href="http://www.openarchives.org/OAI/2.0/oai_dc/"/>';
  const list = (...entries: string[]) =>
    valid.RL.replace(/<url>.*<\/url>/s, entries.map((entry) => `<url>${entry}</url>`).join(''));
  const entry = (name: string, links: string) => `<loc>https://example.org/${name}</loc>${links}`;
  const both = list(
    entry('1.pdf', link('describedby', '1.xml')),
    entry('1.xml', link('describes', '1.pdf') + profile),
  );
  expect(await findingsOf(both)).toEqual([]);
  const oneWay = list(
    entry('1.pdf', link('describedby', '1.xml')),
    entry('1.xml', link('describes', '2.pdf') + profile),
    entry('2.pdf', link('describedby', '2.xml')),
    entry('2.xml', profile),
  );
  const found = await findingsOf(oneWay);
  expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(['RS-LN-16']));
  expect(found[0]?.severity).toBe('error');
});

it('RS-GEN-17: more than 50,000 entries are an error, and findings do not grow without end', async () => {
  async function* chunks() {
    yield Buffer.from(valid.RL.slice(0, valid.RL.indexOf('<url>')));
    for (let index = 0; index < 50_001; index += 1) {
      yield Buffer.from(`<url><loc>https://example.org/${index}</loc><rs:md length="x"/></url>`);
    }
    yield Buffer.from('</urlset>');
  }
  const { findings, suppressed, entries } = await checkDocument(chunks(), { maximumFindings: 50_002 });
  expect(entries).toBe(50_001);
  expect(findings.at(-1)).toMatchObject({ rule: 'RS-GEN-17', severity: 'error', place: 'document' });
  expect(suppressed.size).toBe(0);
  const { suppressed: counted } = await checkDocument(chunks(), { maximumFindings: 10 });
  expect([...counted]).toEqual([['RS-ATTR-11', 49_991]]);
});

async function* once(bytes: Uint8Array) {
  yield bytes;
}
