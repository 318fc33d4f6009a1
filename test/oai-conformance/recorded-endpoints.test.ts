import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedMaterial } from '../house/adapters/shared-material.ts';
import { startRestServer } from '../house/dspace/rest/rest-server.ts';
import { sampleRepository } from '../house/dspace/sample-repository.ts';
import { judge } from '../house/oai-conformance/judged.ts';
import { openUpstream } from '../house/server/loopback-upstream.ts';

const fixtures = sharedMaterial('fixtures/oai');
const clock = { now: () => new Date('2026-11-21T10:00:00Z'), sleep: async () => {} };

/** An endpoint that answers each verb with what a real one did, from another address. */
async function judgeRecorded(files: Readonly<Record<string, string>>) {
  const upstream = await openUpstream({
    '*': (request, response) => {
      const verb = new URL(request.url ?? '/', 'http://x').searchParams.get('verb') ?? '';
      const name = files[verb];
      if (name === undefined) return void response.writeHead(404).end();
      const text = readFileSync(join(fixtures ?? '', name), 'utf8');
      const own = /<baseURL>\s*([^<\s]+)/.exec(
        readFileSync(join(fixtures ?? '', files.Identify ?? ''), 'utf8'),
      )?.[1];
      const body = own === undefined ? text : text.replaceAll(own, `${upstream.origin}/oai`);
      response.writeHead(200, { 'content-type': 'text/xml;charset=UTF-8' }).end(body);
    },
  });
  const judged = await judge(`${upstream.origin}/oai`, {}, clock);
  await upstream.close();
  return judged;
}

test.each([
  ['mailto:oai@x.example.org', /begins with mailto:/],
  ['oai@localhost', /is at localhost/],
  ['nobody', /adminEmail is “nobody”$/],
  ['repo+oai@x.example.org', /which the validator of openarchives.org does not take/],
])('adminEmail %s is a finding that says why', async (email, why) => {
  const upstream = await openUpstream({
    '*': (_request, response) => {
      const body = `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><Identify><adminEmail>${email}</adminEmail></Identify></OAI-PMH>`;
      response.writeHead(200, { 'content-type': 'text/xml' }).end(body);
    },
  });
  const judged = await judge(`${upstream.origin}/oai`, {}, clock);
  await upstream.close();
  expect(judged.of('identify-admin-email').findings[0]?.message).toMatch(why);
});

describe.skipIf(fixtures === undefined)('What real endpoints answered', () => {
  test.each([
    ['MyCoRe-Org+oaipmh__identify.xml', ['identify-earliest-credible']],
    ['mloesch+sickle__Identify.xml', ['identify-earliest', 'identify-earliest-credible']],
    ['caseyamcl+phpoaipmh__GoodResponseIdentify.xml', ['identify-earliest-credible']],
    ['gdcc+xoai__identify.xml', []],
    ['infrae+pyoai__fake3_00001_Identify_malformed.xml', ['identify-answers']],
    ['vufind-org+vufindharvest__identify_response.xml', ['identify-oai-identifier']],
    ['paperhive+oai-pmh__arxiv_identify_0.xml', []],
  ])('%s', async (name, expected) => {
    expect(existsSync(join(fixtures ?? '', name))).toBe(true);
    const judged = await judgeRecorded({ Identify: name });
    expect(judged.in('failed').filter((check) => check.startsWith('identify-'))).toEqual(expected);
  });

  test('formats of DANS: a prefix without a schema, and no Dublin Core', async () => {
    const judged = await judgeRecorded({
      Identify: 'mloesch+sickle__Identify.xml',
      ListMetadataFormats: 'KBNLdataservices+oai-pmh-bulk-downloader__ListMetadataFormats.xml',
    });
    expect(judged.in('failed')).toEqual(expect.arrayContaining(['formats-oai-dc', 'formats-schema']));
    expect(judged.of('formats-prefix').state).toBe('passed');
  });
});

test('the simulated DSpace: what DSpace is known for, and nothing else', async () => {
  const server = await startRestServer({ repository: sampleRepository({ items: 250 }), oai: true });
  try {
    const judged = await judge(server.oaiUrl, {}, { now: () => new Date(), sleep: async () => {} });
    expect(judged.in('failed'), judged.messages.join('\n')).toEqual([
      // Repeated arguments are repeated as attributes.
      'xml-well-formed',
      'xml-structure',
      'http-compression',
      'refuses-unknown',
      'refuses-dates',
      'refuses-mixed-dates',
      'refuses-reversed-dates',
      'refuses-token',
      'token-cursor',
      'token-characters',
      'base-handle',
    ]);
  } finally {
    await server.close();
  }
});
