import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { PageRequest, SourceItem } from '../../../../src/core/adapter.ts';
import { harvest, ids, token } from '../../../house/adapters/harvest-script.ts';
import { envelope, failure, list, record, type Script } from '../../../house/adapters/scripted-provider.ts';

describe('A full harvest', () => {
  test('follows encoded tokens to the end and says where it stands', async () => {
    const { items, pages, requests, error } = await harvest((query) =>
      query.get('resumptionToken') === 'a+b/c&d=|e f'
        ? list([record('2')])
        : list([record('1')], token(' a+b/c&amp;d=|e f ', 'completeListSize="2" cursor="0"')),
    );
    expect(error).toBeUndefined();
    expect(ids(items)).toEqual(['1', '2']);
    expect(requests).toEqual([
      '/oai?verb=ListRecords&metadataPrefix=oai_dc',
      '/oai?verb=ListRecords&resumptionToken=a%2Bb%2Fc%26d%3D%7Ce%20f',
    ]);
    expect(pages.map(({ asOf }) => asOf)).toEqual(['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z']);
    expect(pages[0]?.expectedTotal).toBe(2);
    expect(items[0]).toMatchObject({
      datestamp: '2026-01-02T00:00:00Z',
      collections: ['a'],
      speaksFor: { formats: ['oai_dc'], files: undefined },
      deleted: false,
      metadata: [{ format: 'oai_dc', profile: 'http://www.openarchives.org/OAI/2.0/oai_dc/' }],
    });
    expect(items[0]?.metadata[0]?.upstreamUrl).toContain(
      '?verb=GetRecord&metadataPrefix=oai_dc&identifier=1',
    );
  });

  test('continues behind a checkpoint, keeping the first answer’s clock', async () => {
    const script: Script = (query) => {
      const page = Number(query.get('resumptionToken') ?? 0);
      const body = list([record(`r${page}`)], page < 3 ? token(String(page + 1)) : '');
      return page === 0 ? body : body.replace('2026-11-20', '2026-11-21');
    };
    const whole = await harvest(script);
    expect(ids(whole.items)).toEqual(['r0', 'r1', 'r2', 'r3']);
    const checkpoint = JSON.parse(JSON.stringify(whole.pages[1]?.checkpoint));
    const rest = await harvest(script, { mode: 'full', checkpoint });
    expect(ids(rest.items)).toEqual(['r2', 'r3']);
    expect(rest.pages.at(-1)?.asOf).toBe('2026-11-20T10:00:00Z');
    const nothing = await harvest(script, { mode: 'full', checkpoint: whole.pages.at(-1)?.checkpoint });
    expect(nothing.pages).toEqual([]);
  });

  test('reads gzip, makes a pass for each format and each set', async () => {
    const { requests, items } = await harvest(
      () => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(list([record('1')])) }),
      { mode: 'full' },
      { formats: ['oai_dc', 'mods'], collections: ['x:y', 'z'] },
    );
    expect(items).toHaveLength(4);
    expect(requests.map((url) => url.slice(22))).toEqual([
      'metadataPrefix=oai_dc&set=x%3Ay',
      'metadataPrefix=oai_dc&set=z',
      'metadataPrefix=mods&set=x%3Ay',
      'metadataPrefix=mods&set=z',
    ]);
  });

  test('says at its end how many records the repository itself counts, where it says so of all lists', async () => {
    const of =
      (sizes: Readonly<Record<string, number | undefined>>): Script =>
      (query) => {
        const place = query.get('resumptionToken');
        const format = place ?? query.get('metadataPrefix') ?? '';
        const size = sizes[format];
        const attributes = size === undefined ? '' : `completeListSize="${size}"`;
        return place === null
          ? list([record(`${format}1`), record(`${format}2`)], token(format, attributes))
          : list([record(`${format}3`)], token('', attributes));
      };
    const both = { formats: ['oai_dc', 'mods'] };
    const stated = async (script: Script, settings: object = both) =>
      (await harvest(script, { mode: 'full' }, settings)).pages.map(({ statedTotal }) => statedTotal);
    expect(await stated(of({ oai_dc: 3, mods: 3 }))).toEqual([undefined, undefined, undefined, 6]);
    // Of a list that is too short its parts are asked for, which say it of themselves.
    expect((await stated(of({ oai_dc: 3, mods: 4 }))).at(-1)).toBe(7);
    expect((await stated(of({ oai_dc: 3 }))).filter((one) => one !== undefined)).toEqual([]);
    expect((await stated(of({ mods: 3 }))).filter((one) => one !== undefined)).toEqual([]);
    const since = '2026-11-01T00:00:00Z';
    const changed = await harvest(of({ oai_dc: 3, mods: 3 }), { mode: 'incremental', since }, both);
    expect(changed.pages).toHaveLength(4);
    expect(changed.pages.filter(({ statedTotal }) => statedTotal !== undefined)).toEqual([]);
    // What is in both sets would count twice.
    const sets = { formats: ['oai_dc'], collections: ['a', 'b'] };
    expect((await stated(of({ oai_dc: 3 }), sets)).filter((one) => one !== undefined)).toEqual([]);
    expect((await stated(of({ oai_dc: 3 }), { ...sets, collections: ['a'] })).at(-1)).toBe(3);
  });

  test('a run that goes on behind a checkpoint knows what the lists before it were said to have', async () => {
    const script: Script = (query) => {
      const format = query.get('resumptionToken') ?? query.get('metadataPrefix') ?? '';
      const end = query.has('resumptionToken');
      return list([record(`${format}${end}`)], token(end ? '' : format, 'completeListSize="2"'));
    };
    const settings = { formats: ['oai_dc', 'mods'] };
    const whole = await harvest(script, { mode: 'full' }, settings);
    expect(whole.pages.at(-1)?.statedTotal).toBe(4);
    const checkpoint = JSON.parse(JSON.stringify(whole.pages[1]?.checkpoint));
    const rest = await harvest(script, { mode: 'full', checkpoint }, settings);
    expect(rest.pages.at(-1)?.statedTotal).toBe(4);
  });

  test('splits a large response into pages of which only the last has a checkpoint', async () => {
    const records = Array.from({ length: 4_500 }, (_, index) => record(`n${index}`));
    const { pages, items } = await harvest(() => list(records));
    expect(items).toHaveLength(4_500);
    expect(pages.length).toBeGreaterThan(2);
    expect(Math.max(...pages.map((page) => page.items.length))).toBeLessThanOrEqual(2_000);
    expect(pages.map(({ checkpoint }) => checkpoint !== undefined)).toEqual(
      pages.map((_page, index) => index === pages.length - 1),
    );
  });

  test('takes deletions from the status, in whatever case, and forgets their metadata', async () => {
    const { items } = await harvest(() => list([record('1', undefined, ' status="Deleted"')]));
    expect(items[0]).toMatchObject({ identifier: '1', deleted: true, metadata: [] });
  });
});

describe('The end of a list', () => {
  test('is noRecordsMatch at once, also as HTTP 404, 422 and 500', async () => {
    for (const status of [200, 404, 422, 500]) {
      const { pages, error } = await harvest(() => ({ status, body: failure('noRecordsMatch') }));
      expect(error).toBeUndefined();
      expect(pages).toMatchObject([{ items: [], asOf: '2026-11-20T10:00:00Z' }]);
    }
  });

  test('is not noRecordsMatch in the middle', async () => {
    const { error, items, problems } = await harvest((_query, nth) =>
      nth === 1 ? list([record('1')], token('t', 'completeListSize="9"')) : failure('noRecordsMatch'),
    );
    expect(ids(items)).toEqual(['1']);
    // Smaller lists were tried, and were empty.
    expect(error).toBeUndefined();
    expect(problems.map(({ code }) => code)).toEqual(['endpoint-quirk', 'list-doubtful']);
    expect(problems[0]?.message).toContain('broke off after 1 of 9 records');
  });

  test('may be a surplus token and then an error or nothing', async () => {
    for (const last of [failure('noRecordsMatch'), failure('badResumptionToken'), list([])]) {
      const { error, items } = await harvest((_query, nth) =>
        nth === 1 ? list([record('1')], token('t', 'completeListSize="1"')) : last,
      );
      expect(error).toBeUndefined();
      expect(ids(items)).toEqual(['1']);
    }
  });

  test('is never a repeated token, nor a third page of nothing', async () => {
    const same = await harvest(() => list([record('1')], token('t')));
    expect(same.error).toMatchObject({ code: 'oai-token-loop' });
    const empty = await harvest((_query, nth) => list([], token(`t${nth}`)));
    expect(empty.error).toMatchObject({ code: 'oai-token-loop' });
    expect(empty.requests.length).toBeLessThanOrEqual(30);
  });

  test('is never a response that breaks off, even behind its token', async () => {
    const whole = list([record('1'), record('2')], token('t'));
    const cut = (length: number) => whole.slice(0, whole.length - length);
    for (const body of [cut(12), cut(100), cut(500)]) {
      const { error, pages, sleeps, requests } = await harvest(() => body);
      expect(error).toMatchObject({ code: 'upstream-cut-off', retryable: true });
      expect(pages.flatMap(({ checkpoint }) => checkpoint?.done ?? [])).toEqual([]);
      // Three times as a whole, then in smaller ones until it is clear that all are like that.
      expect(requests.length).toBeLessThanOrEqual(12);
      expect(sleeps.slice(0, 2)).toEqual([2_000, 10_000]);
    }
  });
});

describe('A broken response', () => {
  test('is asked for again: cut off, a page for people, HTTP 500', async () => {
    const answers: Script[] = [
      () => (response) => {
        response.writeHead(200, { 'content-length': '100000' });
        response.write(list([record('1'), record('2')]).slice(0, 400));
        setImmediate(() => response.destroy());
      },
      () => '<!DOCTYPE html><html><body>Maintenance<br></body></html>',
      () => ({ status: 502, body: 'Bad gateway' }),
    ];
    for (const answer of answers) {
      const { error, items, sleeps } = await harvest((query, nth, url) =>
        nth === 1 ? answer(query, nth, url) : list([record('1'), record('2')]),
      );
      expect(error).toBeUndefined();
      expect(ids(items)).toEqual(['1', '2']);
      expect(sleeps).toEqual([2_000]);
    }
  });

  test('has its own name when it stays broken', async () => {
    const codeOf = async (script: Script) => (await harvest(script)).error;
    expect(await codeOf(() => '<html><head/><body/></html>')).toMatchObject({
      code: 'upstream-html',
      retryable: true,
    });
    expect(await codeOf(() => '<rss version="2.0"/>')).toMatchObject({ code: 'upstream-protocol' });
    expect(await codeOf(() => envelope('<Identify/>'))).toMatchObject({ code: 'upstream-protocol' });
    expect(await codeOf(() => '{"error": 1}')).toMatchObject({ code: 'upstream-not-xml' });
    expect(await codeOf(() => ({ status: 403, body: 'go away' }))).toMatchObject({
      code: 'upstream-status',
      retryable: false,
    });
    expect(await codeOf(() => ({ status: 500, body: '<html></html>' }))).toMatchObject({
      code: 'upstream-status',
      retryable: true,
    });
    const doctype = `<!DOCTYPE OAI-PMH [${'<!ENTITY a "b">'.repeat(6_000)}]>`;
    expect(await codeOf(() => list([]).replace('?>', `?>${doctype}`))).toMatchObject({
      code: 'upstream-forbidden-doctype',
    });
    const two = await codeOf(() => envelope('<error code="x1">one</error><error code="badVerb">two</error>'));
    expect(two).toMatchObject({ code: 'oai-error', message: expect.stringMatching(/one.*two/) });
  });
});

describe('Resumption tokens', () => {
  test('that are refused start the pass again, once', async () => {
    let failed = false;
    const once = await harvest((query) => {
      if (!query.has('resumptionToken')) return list([record('1')], token('t'));
      if (failed) return list([record('2')]);
      failed = true;
      return failure('badResumptionToken', 'expired');
    });
    expect(once.error).toBeUndefined();
    expect(ids(once.items)).toEqual(['1', '1', '2']);
    expect(once.problems).toMatchObject([{ code: 'endpoint-quirk' }]);
    const always = await harvest((query) =>
      query.has('resumptionToken') ? failure('badResumptionToken') : list([record('1')], token('t')),
    );
    expect(always.error).toMatchObject({ code: 'oai-bad-resumption-token', retryable: true });
  });

  test('are sent raw to servers that do not decode them', async () => {
    const { error, items, requests } = await harvest((query, _nth, url) => {
      if (!query.has('resumptionToken')) return list([record('1')], token('a:b|1'));
      return url.endsWith('a:b%7C1') || url.endsWith('a:b|1')
        ? list([record('2')])
        : failure('badResumptionToken');
    });
    expect(error).toBeUndefined();
    expect(ids(items)).toEqual(['1', '2']);
    expect(requests).toHaveLength(3);
  });

  test('that name the next page rather than a page do not lose one', async () => {
    let scroll = 0;
    const { items, error } = await harvest((query, nth) => {
      if (!query.has('resumptionToken')) scroll = 0;
      const page = scroll;
      scroll += 1;
      if (nth === 2) {
        return (response) => {
          response.writeHead(200, { 'content-length': '5000' });
          response.write('<OAI-PMH');
          setImmediate(() => response.destroy());
        };
      }
      const next = page < 2 ? `scroll${page}` : '';
      return list([record(`r${page}`)], token(next, `completeListSize="3" cursor="${page}"`));
    });
    expect(error).toBeUndefined();
    expect(new Set(ids(items))).toEqual(new Set(['r0', 'r1', 'r2']));
  });
});

describe('An incremental harvest', () => {
  const since: PageRequest = { mode: 'incremental', since: '2026-11-10T00:01:30Z' };

  test('reaches back by the overlap and one granule', async () => {
    const seconds = await harvest(() => list([record('1')]), since);
    expect(seconds.requests).toEqual([
      '/oai?verb=ListRecords&metadataPrefix=oai_dc&from=2026-11-09T23%3A59%3A29Z',
    ]);
    const days = await harvest(() => list([record('1')]), since, {}, 'yyyy-mm-dd');
    expect(days.requests[0]).toMatch(/from=2026-11-08$/);
  });

  test('tries days and then no date at all where seconds are refused', async () => {
    const { error, requests, problems, pages } = await harvest(
      (query) => (query.has('from') ? failure('badArgument') : list([record('1')])),
      since,
    );
    expect(error).toBeUndefined();
    expect(requests.map((url) => /from=(.*)/.exec(url)?.[1])).toEqual([
      '2026-11-09T23%3A59%3A29Z',
      '2026-11-09',
      undefined,
    ]);
    expect(problems.map(({ code }) => code)).toEqual(['endpoint-quirk', 'endpoint-quirk']);
    expect(pages[0]?.checkpoint).not.toHaveProperty('from');
  });
});

test('An unknown format is named together with those that exist', async () => {
  const { error } = await harvest(
    () => failure('cannotDisseminateFormat'),
    { mode: 'full' },
    { formats: ['marc'] },
  );
  expect(error).toMatchObject({
    code: 'oai-unknown-format',
    message: expect.stringContaining('offers oai_dc'),
  });
});

describe('A bad record', () => {
  const neighbours = (bad: string) => list([record('before'), bad, record('after')]);
  const contentOf = (items: readonly SourceItem[]) =>
    Buffer.from(items.find(({ identifier }) => identifier === 'bad')?.metadata[0]?.content ?? []).toString();

  test.each([
    ['a control character', '<dc:title>a\u000bb</dc:title>', 'a\uFFFDb'],
    ['a reference to one', '<dc:title>a&#x1;b</dc:title>', 'a\uFFFDb'],
    ['U+FFFE', '<dc:title>a\uFFFEb</dc:title>', 'a\uFFFDb'],
    ['an HTML entity', '<dc:title>K&ouml;ln</dc:title>', 'Köln'],
    ['a bare ampersand', '<dc:title>R & D</dc:title>', 'R &amp; D'],
    ['an XML declaration', '<?xml version="1.0"?><dc:title>x</dc:title>', '>x<'],
  ])('with %s is repaired', async (_what, metadata, expected) => {
    const { items, problems, error } = await harvest(() => neighbours(record('bad', metadata)));
    expect(error).toBeUndefined();
    expect(ids(items)).toEqual(['before', 'bad', 'after']);
    expect(contentOf(items)).toContain(expected);
    expect(problems).toMatchObject([{ code: 'record-repaired', identifier: 'bad', format: 'oai_dc' }]);
  });

  test('with bytes that are not UTF-8 is read as windows-1252 without harm to the rest', async () => {
    const [head = '', tail = ''] = neighbours(record('bad', '<dc:title>café 日本 \u0000</dc:title>')).split(
      '\u0000',
    );
    const body = Buffer.concat([Buffer.from(head), Buffer.from([0x93, 0xe9, 0x94]), Buffer.from(tail)]);
    const { items, problems } = await harvest(() => ({ body }));
    expect(contentOf(items)).toContain('café 日本 “é”');
    expect(problems).toMatchObject([{ code: 'record-repaired', identifier: 'bad' }]);
  });

  test.each([
    ['unbalanced tags', '<dc:title>a</dc:creator>'],
    ['an end tag too many', '<dc:title>a</dc:title></dc:title>'],
    ['an entity of its own', '<dc:title>&lol;</dc:title>'],
    ['an unknown prefix', '<nobody:title/>'],
    ['a well-known prefix that nobody declares', '<dcterms:title>x</dcterms:title>'],
    ['a tag that never ends', '<dc:title'],
  ])('with %s is quarantined by name', async (_what, metadata) => {
    const { items, problems, error } = await harvest(() => neighbours(record('bad', metadata)));
    expect(error).toBeUndefined();
    expect(ids(items).filter((id) => id !== 'bad')).toEqual(['before', 'after']);
    expect(problems.map(({ code, identifier }) => ({ code, identifier }))).toContainEqual({
      code: 'record-quarantined',
      identifier: 'bad',
    });
  });

  test('over 16 MB is quarantined, and its neighbours live', async () => {
    const { items, problems } = await harvest(() =>
      neighbours(record('bad', `<dc:title>${'x'.repeat(33 * 1024 * 1024)}</dc:title>`)),
    );
    expect(ids(items)).toEqual(['before', 'after']);
    expect(problems).toMatchObject([{ code: 'record-quarantined', identifier: 'bad' }]);
  });

  test.each([
    ['in its metadata', (many: string) => record('bad', `<dc:title${many}/>`)],
    [
      'in its header',
      (many: string) => record('bad', '<dc:title>x</dc:title>').replace('<header', `<header${many}`),
    ],
  ])('with a tag of a hundred thousand attributes %s is given up within the tag', async (_where, bad) => {
    const many = Array.from({ length: 100_000 }, (_, index) => ` a${index}=""`).join('');
    const { items, problems } = await harvest(() => neighbours(bad(many)));
    expect(ids(items)).toEqual(['before', 'after']);
    expect(problems).toMatchObject([{ code: 'record-quarantined', identifier: 'bad' }]);
    expect(problems[0]?.message).toContain('it has a tag with more than 1000 attributes');
  });

  test('with as many attributes in all, but in many tags, is read', async () => {
    const some = Array.from({ length: 900 }, (_, index) => ` a${index}=""`).join('');
    const { items, problems } = await harvest(() =>
      neighbours(record('good', `<dc:title${some}/>`.repeat(20))),
    );
    expect(ids(items)).toEqual(['before', 'good', 'after']);
    expect(problems).toEqual([]);
  });

  test('nested a million times deep is quarantined at once, and its neighbours live', async () => {
    const deep = `${'<a>'.repeat(1_000_000)}${'</a>'.repeat(1_000_000)}`;
    const { items, problems } = await harvest(() => neighbours(record('bad', deep)));
    expect(ids(items)).toEqual(['before', 'after']);
    expect(problems).toMatchObject([
      { code: 'record-quarantined', identifier: 'bad', message: expect.stringContaining('nested') },
    ]);
  });

  test('without metadata or without a name is a problem, not an item', async () => {
    const { items, problems } = await harvest(() =>
      neighbours(
        '<record><header><identifier>bad</identifier></header></record><record><header/><metadata><a/></metadata></record>',
      ),
    );
    expect(ids(items)).toEqual(['before', 'after']);
    expect(problems.map(({ code, identifier }) => [code, identifier])).toEqual([
      ['record-without-metadata', 'bad'],
      ['record-quarantined', undefined],
    ]);
  });

  test('of entities that multiply expands nothing', async () => {
    const bomb = '<!DOCTYPE OAI-PMH [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>';
    const { items, problems } = await harvest(() =>
      neighbours(record('bad', '<dc:title>&b;</dc:title>')).replace('?>', `?>${bomb}`),
    );
    expect(ids(items)).toEqual(['before', 'after']);
    expect(problems).toMatchObject([{ code: 'record-quarantined', identifier: 'bad' }]);
  });
});
