import { expect, test } from 'vitest';
import { checkChannels } from '../../../src/conformance/channels/channel-check.ts';
import { FindingsByUri } from '../../../src/conformance/documents/findings-by-uri.ts';
import { SourceWalk } from '../../../src/conformance/survey/source-check.ts';

const base = 'https://source.example/';
const sitemap =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"';
const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const up = `<rs:ln rel="up" href="${base}cap.xml"/>`;
const channel = (loc: string, capability: string, more = `<rs:ln rel="hub" href="${base}hub"/>`) =>
  `<url><loc>${base}${loc}</loc><rs:md capability="${capability}"/>${more}</url>`;
const change = (loc: string, md: string, more = '') =>
  `<url><loc>${base}${loc}</loc><rs:md ${md}/>${more}</url>`;
const changes = (
  entries: string,
  md = 'from="2026-11-01T00:00:00Z" until="2026-11-01T00:00:09Z"',
  link = up,
) =>
  `${declaration}<urlset ${sitemap}><rs:md capability="change-notification" ${md}/>${link}${entries}</urlset>`;
const documents = (entries: string) =>
  `${declaration}<urlset ${sitemap}><rs:md capability="framework-notification"/>${entries}</urlset>`;

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly link?: string;
  readonly body?: string;
}

const links = (loc: string) => `<${base}hub>; rel="hub", <${base}${loc}>; rel="self"`;

/** What is found of a Source whose Capability List has these entries, and whose channels answer so. */
async function findingsOf(entries: string, channels: Readonly<Record<string, Answer>> = {}) {
  const list = `<urlset ${sitemap}><rs:ln rel="up" href="${base}sd.xml"/><rs:md capability="capabilitylist"/>${entries}</urlset>`;
  const index = `<sitemapindex ${sitemap}><rs:md capability="resourcelist" at="2026-11-01T00:00:00Z"/>${up}<sitemap><loc>${base}rl-1.xml</loc></sitemap></sitemapindex>`;
  const part = `<urlset ${sitemap}><rs:md capability="resourcelist" at="2026-11-01T00:00:00Z"/>${up}<rs:ln rel="index" href="${base}rl.xml"/><url><loc>${base}a</loc></url></urlset>`;
  const texts: Readonly<Record<string, string>> = { 'cap.xml': list, 'rl.xml': index, 'rl-1.xml': part };
  const chunks = async function* (text: string) {
    yield Buffer.from(text);
  };
  const walk = new SourceWalk(async (uri) => {
    const text = texts[uri.slice(base.length)];
    return text === undefined ? undefined : chunks(text);
  });
  await walk.from(`${base}cap.xml`);
  const findings = new FindingsByUri(10);
  const port = {
    get: async (uri: string) => {
      const loc = uri.slice(base.length);
      const { status = 200, type = 'application/xml', link = links(loc), body = '' } = channels[loc] ?? {};
      const headers = { 'content-type': type, link };
      return { status, url: uri, headers, body: chunks(body), discard: async () => undefined } as never;
    },
  };
  await checkChannels({ port, walk, findings, note: () => undefined });
  return findings
    .uris()
    .flatMap((uri) =>
      findings.of(uri).map(({ rule, severity, message }) => `${rule} ${severity}: ${message}`),
    );
}

const both = channel('c.xml', 'change-notification') + channel('f.xml', 'framework-notification');
const entry = change('a', 'change="updated" datetime="2026-11-01T00:00:05Z"');

test('channels as they should be: nothing is found', async () => {
  const told = change(
    'rl-1.xml',
    'capability="resourcelist" change="updated"',
    `<rs:ln rel="index" href="${base}rl.xml"/>`,
  );
  const list = `<url><loc>${base}rl.xml</loc><rs:md capability="resourcelist"/></url>`;
  expect(await findingsOf(both)).toEqual([]);
  expect(
    await findingsOf(list + both, { 'c.xml': { body: changes(entry) }, 'f.xml': { body: documents(told) } }),
  ).toEqual([]);
});

test.each<[string, string, Readonly<Record<string, Answer>>]>([
  ['CN-11 error: it has no link to a hub', channel('c.xml', 'change-notification', ''), {}],
  ['FN-10 error: it has no link to a hub', channel('f.xml', 'framework-notification', ''), {}],
  ['CN-09 error: it is the second channel', both + channel('d.xml', 'change-notification'), {}],
  [
    'CN-10 warning: it is a channel of change-notification, too',
    channel('c.xml', 'change-notification') + channel('c.xml', 'framework-notification'),
    {},
  ],
  ['NT-01 error: the channel answers 404', both, { 'c.xml': { status: 404 } }],
  ['NT-01 error: its Content-Type is text/html', both, { 'c.xml': { type: 'text/html' } }],
  [
    'NT-01 error: its Link header has 0 links of rel="self"',
    both,
    { 'c.xml': { link: `<${base}hub>; rel="hub"` } },
  ],
  [
    'NT-01 error: it calls itself https://source.example/other.xml',
    both,
    { 'c.xml': { link: links('other.xml') } },
  ],
  [
    'NT-01 error: its Link header has no rel="hub"',
    both,
    { 'c.xml': { link: `<${base}c.xml>; rel="self"` } },
  ],
  [
    'NT-01 warning: its Link header names https://source.example/hub2',
    both,
    { 'c.xml': { link: `<${base}hub2>; rel="hub", <${base}c.xml>; rel="self"` } },
  ],
  ['CN-01 error: its capability is framework-notification', both, { 'c.xml': { body: documents('') } }],
  [
    'CN-01 error: until is missing',
    both,
    { 'c.xml': { body: changes(entry, 'from="2026-11-01T00:00:00Z"') } },
  ],
  [
    'CN-01 error: it is from',
    both,
    { 'c.xml': { body: changes(entry, 'from="2026-11-02T00:00:00Z" until="2026-11-01T00:00:00Z"') } },
  ],
  [
    'CN-04 warning: its up link leads to',
    both,
    { 'c.xml': { body: changes(entry, undefined, `<rs:ln rel="up" href="${base}x.xml"/>`) } },
  ],
  [
    'CN-05 error: it is dated 2026-11-01T00:00:04Z, before',
    both,
    { 'c.xml': { body: changes(entry + entry.replace('05Z', '04Z')) } },
  ],
  [
    'CN-06 error: what has happened is moved',
    both,
    { 'c.xml': { body: changes(change('a', 'change="moved"')) } },
  ],
  [
    'CN-08 error: a notification is a urlset',
    both,
    { 'c.xml': { body: changes('').replaceAll('urlset', 'sitemapindex') } },
  ],
  [
    'FN-03 error: change is missing',
    both,
    { 'f.xml': { body: documents(change('cl.xml', 'capability="changelist"')) } },
  ],
  [
    'FN-04 error: nothing is told of resourcedump-manifest',
    both,
    { 'f.xml': { body: documents(change('m.xml', 'capability="resourcedump-manifest" change="created"')) } },
  ],
  [
    'FN-05 error: it is an index',
    `<url><loc>${base}rl.xml</loc><rs:md capability="resourcelist"/></url>${both}`,
    { 'f.xml': { body: documents(change('rl.xml', 'capability="resourcelist" change="updated"')) } },
  ],
  [
    'FN-05 error: it is below the index',
    `<url><loc>${base}rl.xml</loc><rs:md capability="resourcelist"/></url>${both}`,
    { 'f.xml': { body: documents(change('rl-1.xml', 'capability="resourcelist" change="updated"')) } },
  ],
  [
    'FN-07 error: a resourcedump is never updated',
    both,
    { 'f.xml': { body: documents(change('rd.xml', 'capability="resourcedump" change="updated"')) } },
  ],
])('%s', async (expected, entries, channels) => {
  const found = await findingsOf(entries, channels);
  expect(found.filter((one) => one.startsWith(expected))).toHaveLength(1);
});
