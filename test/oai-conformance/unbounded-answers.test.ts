import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { judge } from '../house/oai-conformance/judged.ts';
import { type LoopbackUpstream, openUpstream } from '../house/server/loopback-upstream.ts';

const clock = { now: () => new Date('2026-11-21T10:00:00Z'), sleep: async () => {} };
const dc = '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"/>';
const xml = { 'content-type': 'text/xml' };

let endpoint: LoopbackUpstream | undefined;
afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
});

type AnswerVerb = (query: URLSearchParams, response: ServerResponse, count: number) => void;

/** An endpoint that is in order but for what it is given. @param answers by verb; `count` says how often it was asked */
async function openEndpoint(answers: Readonly<Record<string, AnswerVerb>>): Promise<string> {
  const counts = new Map<string, number>();
  endpoint = await openUpstream({
    '*': (request, response) => {
      const query = new URL(request.url ?? '/', 'http://x').searchParams;
      const verb = query.get('verb') ?? '';
      const count = (counts.get(verb) ?? 0) + 1;
      counts.set(verb, count);
      const answer = answers[verb] ?? ordinary[verb];
      if (answer) answer(query, response, count);
      else response.writeHead(200, xml).end(envelope('<error code="badVerb">no</error>'));
    },
  });
  return `${endpoint.origin}/oai`;
}

function envelope(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"><responseDate>2026-11-21T10:00:00Z</responseDate><request>x</request>${content}</OAI-PMH>`;
}

const record = (number: number, payload = dc) =>
  `<record><header><identifier>oai:x:${number}</identifier><datestamp>2026-11-20T10:00:00Z</datestamp></header><metadata>${payload}</metadata></record>`;
const list = (...parts: string[]) => envelope(`<ListRecords>${parts.join('')}</ListRecords>`);
const say =
  (text: string): AnswerVerb =>
  (_query, response) =>
    void response.writeHead(200, xml).end(text);
const identify = envelope(
  '<Identify><repositoryName>X</repositoryName><baseURL>x</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@x.example.org</adminEmail><earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>',
);
const format = (prefix: string) =>
  `<metadataFormat><metadataPrefix>${prefix}</metadataPrefix><schema>http://x.example.org/${prefix}.xsd</schema><metadataNamespace>http://x.example.org/${prefix}</metadataNamespace></metadataFormat>`;
const ordinary: Readonly<Record<string, AnswerVerb>> = {
  Identify: say(identify),
  ListMetadataFormats: say(
    envelope(`<ListMetadataFormats>${format('oai_dc')}${format('jpcoar_2.0')}</ListMetadataFormats>`),
  ),
  ListSets: say(envelope('<error code="noSetHierarchy">no</error>')),
  ListRecords: say(list(record(1))),
};

test('a page without end is left, and judges nothing', async () => {
  const piece = record(1).repeat(1_000);
  const url = await openEndpoint({
    ListRecords: (_query, response) => {
      response.writeHead(200, xml).write('<OAI-PMH><ListRecords>');
      const goOn = () => {
        while (response.write(piece));
      };
      response.on('drain', goOn);
      goOn();
    },
  });
  const judged = await judge(url, {}, clock);
  expect(judged.of('list-once')).toMatchObject({
    state: 'unjudged',
    reason: expect.stringContaining('larger than 33554432 bytes'),
  });
});

test('little that unpacks to much is left as well', async () => {
  const bomb = gzipSync(Buffer.alloc(40_000_000, ' '));
  const url = await openEndpoint({
    Identify: (_query, response) =>
      void response.writeHead(200, { ...xml, 'content-encoding': 'gzip' }).end(bomb),
  });
  await expect(judge(url, {}, clock)).rejects.toMatchObject({
    code: 'upstream-unreachable',
    message: expect.stringContaining('larger than'),
  });
});

test.each([
  ['elements without number', '<a/>'.repeat(400_000), 'more than 400000 elements and attributes'],
  ['elements within elements', `${'<a>'.repeat(300)}${'</a>'.repeat(300)}`, 'nested more than 200 deep'],
])('%s are not read to their end, and are no finding', async (_what, payload, reason) => {
  const url = await openEndpoint({ ListRecords: say(list(record(1, `<r>${payload}</r>`))) });
  const judged = await judge(url, {}, clock);
  expect(judged.of('list-once')).toMatchObject({
    state: 'unjudged',
    reason: expect.stringContaining(reason),
  });
  expect(judged.of('xml-well-formed').state).toBe('passed');
});

test('pages of one record without end are walked through for a while, in every format', async () => {
  const url = await openEndpoint({
    ListRecords: (query, response, count) => {
      const token = `<resumptionToken>${query.get('metadataPrefix') ?? query.get('resumptionToken')?.split('-')[0]}-${count}</resumptionToken>`;
      response.writeHead(200, xml).end(list(record(count), token));
    },
  });
  const judged = await judge(url, {}, clock);
  expect(judged.of('token-progress').state).toBe('passed');
  expect(judged.of('irdb-title').state).toBe('failed');
  // Fifty pages of each format, and what is asked besides.
  expect(judged.records).toBe(100);
  expect(judged.requests).toBeLessThan(170);
});

test('a token that nobody could send is not sent, and fills no report', async () => {
  const token = `<resumptionToken>${'a+'.repeat(500_000)}</resumptionToken>`;
  const url = await openEndpoint({ ListRecords: say(list(record(1), token)) });
  const judged = await judge(url, {}, clock);
  expect(judged.of('token-works')).toMatchObject({
    state: 'unjudged',
    reason: expect.stringMatching(/characters, and were not sent/),
  });
  expect(judged.of('token-characters').state).toBe('failed');
  const texts = judged.verdicts.flatMap(({ findings, reason = '' }) => [
    reason,
    ...findings.flatMap(({ message, request }) => [message, request]),
  ]);
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(1_100);
});

test('an endpoint that is just quick enough is left after two hours', async () => {
  let minutes = 0;
  const slow = {
    now: () => {
      minutes += 10;
      return new Date(Date.UTC(2026, 10, 21, 10, minutes));
    },
    sleep: async () => {},
  };
  const judged = await judge(await openEndpoint({}), {}, slow);
  expect(judged.of('list-once').reason).toContain('more than two hours');
  expect(judged.of('identify-version').state).toBe('passed');
});

test('nobody is led to a private address, and hears how to allow it', async () => {
  const url = await openEndpoint({
    Identify: (_query, response) =>
      void response.writeHead(302, { location: 'http://[::ffff:169.254.0.1]:1/' }).end(),
  });
  await expect(judge(url, {}, clock)).rejects.toThrow(/is not a public address; --allow-private follows/);
});

test('a repository that begins with the year 1 is asked nothing about the time before', async () => {
  const url = await openEndpoint({
    Identify: say(identify.replace('2020-01-01T', '0001-01-01T')),
    ListIdentifiers: say(
      envelope(
        '<ListIdentifiers><header><identifier>oai:x:1</identifier><datestamp>2026-11-20T10:00:00Z</datestamp></header></ListIdentifiers>',
      ),
    ),
    GetRecord: say(envelope(`<GetRecord>${record(1)}</GetRecord>`)),
  });
  const judged = await judge(url, {}, clock);
  expect(judged.of('identify-earliest-credible').state).toBe('failed');
  expect(judged.of('date-early-from').state).toBe('absent');
  expect(judged.of('refuses-empty').state).toBe('absent');
  expect(judged.of('date-late-until').state).toBe('passed');
});
