import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { type Answer, ask, base, byRelation, seedPast } from '../../house/server/past-house.ts';

/** What each kind of response must, and must not, say (RFC 7089 §4, spec/companions.md 7.2), on GET and on HEAD. */

interface Expected {
  readonly status: number;
  readonly vary: boolean;
  readonly mementoDatetime: boolean;
  /** How many there are; one target each. */
  readonly original: 0 | 1;
  readonly timegate: 0 | 1;
  readonly timemap: 0 | 1;
  /** Whether any memento is linked to. */
  readonly memento: boolean;
}

const original: Expected = {
  status: 200,
  vary: false,
  mementoDatetime: false,
  original: 0,
  timegate: 1,
  timemap: 1,
  memento: false,
};
const timeGate: Expected = { ...original, status: 302, vary: true, original: 1, memento: true };
const memento: Expected = { ...original, mementoDatetime: true, original: 1, memento: true };
const redirect: Expected = { ...memento, status: 302, mementoDatetime: false };

let house: House;
let uris: Readonly<Record<'living' | 'deleted' | 'elsewhere', string>>;
let etag: string;

beforeAll(async () => {
  house = await openHouse();
  const steps = [
    { datetime: '2026-01-01T00:00:00Z', content: '<dc>1</dc>' },
    { datetime: '2026-02-01T00:00:00Z', content: null },
    { datetime: '2026-03-01T00:00:00Z', content: '<dc>3</dc>' },
    { datetime: '2026-04-01T00:00:00Z', content: '<dc>4</dc>', droppedAt: '2026-05-01T00:00:00Z' },
    { datetime: '2026-06-01T00:00:00Z', content: '<dc>6</dc>' },
  ];
  const living = await seedPast(house.database, steps);
  const deleted = await seedPast(house.database, steps.slice(0, 2), { identifier: 'oai:deleted' });
  const elsewhere = await seedPast(
    house.database,
    [{ datetime: '2026-01-01T00:00:00Z', content: 'x', keep: false }],
    { kind: 'file', upstreamUrl: 'https://repo.example.org/x' },
  );
  uris = { living: living.uri, deleted: deleted.uri, elsewhere: elsewhere.uri };
  etag = `"${createHash('sha256').update('<dc>6</dc>').digest('hex')}"`;
  await house.database
    .writer('resource')
    .where({ path: living.path })
    .update({ hash: `sha-256:${etag.slice(1, -1)}` });
});
afterAll(() => house.close());

type Row = readonly [
  what: string,
  of: keyof typeof uris,
  target: (uri: string) => string,
  headers: Record<string, string>,
  expected: Expected,
];

const own = (uri: string) => uri;
const gateOf = (uri: string) => `${base}/timegate/${uri}`;
const at = (digits: string) => (uri: string) => `${base}/memento/${digits}/${uri}`;
const when = (time: string) => ({ 'accept-datetime': time });

const rows: readonly Row[] = [
  ['the Original', 'living', own, {}, original],
  ['the Original, asked for a time', 'living', own, when('Sun, 01 Mar 2026 00:00:00 GMT'), original],
  ['the Original, not modified', 'living', own, { 'if-none-match': '*' }, { ...original, status: 304 }],
  ['the Original, deleted', 'deleted', own, {}, { ...original, status: 410 }],
  ['the TimeGate', 'living', gateOf, {}, timeGate],
  ['the TimeGate, asked for a time', 'living', gateOf, when('Sun, 01 Mar 2026 00:00:00 GMT'), timeGate],
  ['the TimeGate of what is deleted', 'deleted', gateOf, {}, timeGate],
  ['the TimeGate, asked badly', 'living', gateOf, when('today'), { ...timeGate, status: 400, memento: true }],
  [
    'the TimeGate, asked for when it was deleted',
    'living',
    gateOf,
    when('Sun, 15 Feb 2026 00:00:00 GMT'),
    { ...timeGate, status: 404 },
  ],
  ['a memento', 'living', at('20260301000000'), {}, memento],
  [
    'a memento, not modified',
    'living',
    at('20260601000000'),
    { 'if-none-match': '*' },
    { ...memento, status: 304 },
  ],
  ['a memento of what is deleted', 'deleted', at('20260101000000'), {}, memento],
  [
    'a memento that is not ours to hand out',
    'elsewhere',
    at('20260101000000'),
    {},
    { ...redirect, status: 404, memento: false },
  ],
  ['a redirect to a memento', 'living', at('20260302000000'), {}, redirect],
  ['a memento of when it was deleted', 'living', at('20260215000000'), {}, { ...redirect, status: 404 }],
  ['a memento given up', 'living', at('20260401000000'), {}, { ...redirect, status: 404 }],
  ['a memento of no moment', 'living', at('20261301000000'), {}, { ...redirect, status: 400 }],
];

describe.each(['GET', 'HEAD'] as const)('RFC 7089 on %s', (method) => {
  it.each(rows)('%s', async (_, of, target, headers, expected) => {
    const answer = await ask(house, target(uris[of]), headers, method);
    expect(describeAnswer(answer)).toEqual(expected);
    checkTargets(answer, uris[of]);
  });

  it('a part of a memento', async () => {
    if (method === 'HEAD') return;
    const answer = await ask(house, at('20260601000000')(uris.living), { range: 'bytes=0-0' });
    expect(describeAnswer(answer)).toEqual({ ...memento, status: 206 });
  });
});

function describeAnswer({ status, headers, links }: Answer): Expected {
  const count = (relation: string) => byRelation(links, relation).length as 0 | 1;
  return {
    status,
    vary: /(?:^|, )accept-datetime(?:,|$)/.test(headers.vary ?? ''),
    mementoDatetime: headers['memento-datetime'] !== undefined,
    original: count('original'),
    timegate: count('timegate'),
    timemap: count('timemap'),
    memento: count('memento') > 0,
  };
}

function checkTargets({ links }: Answer, uri: string): void {
  for (const { href, rel, parameters } of links) {
    if (rel.includes('original')) expect(href).toBe(uri);
    if (rel.includes('timegate')) expect(href).toBe(`${base}/timegate/${uri}`);
    if (rel.includes('timemap')) {
      expect([href, parameters.type]).toEqual([`${base}/timemap/link/${uri}`, 'application/link-format']);
    }
    // ME-09: a memento's link says of when it is.
    if (rel.includes('memento')) {
      const digits = /\/memento\/(\d{14})\//.exec(href)?.[1];
      const datetime = new Date(parameters.datetime ?? '').toISOString().replace(/\.000|\D/g, '');
      expect([digits, new Set(links.map((one) => one.href)).size]).toEqual([datetime, links.length]);
    }
  }
}
