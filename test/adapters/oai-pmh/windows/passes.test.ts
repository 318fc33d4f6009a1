import { describe, expect, test } from 'vitest';
import { createAdapter } from '../../../../adapters/index.ts';
import { awaitedAfter, formatUses, passesOf } from '../../../../adapters/oai-pmh/windows/passes.ts';
import { createLessonBook } from '../../../../src/harvest/lessons.ts';
import { dated, datedRepository, idsOf, run } from '../../../house/adapters/dated-repository.ts';
import { harvest, ids } from '../../../house/adapters/harvest-script.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import { failure, list, record } from '../../../house/adapters/scripted-provider.ts';

const declared = [
  { name: 'oai_dc', namespace: 'http://www.openarchives.org/OAI/2.0/oai_dc/', schema: undefined },
  { name: 'xoai', namespace: 'http://www.lyncode.com/xoai', schema: undefined },
  { name: 'mets', namespace: 'http://www.loc.gov/METS/', schema: undefined },
];

describe('The order of the passes', () => {
  const order = (formats: readonly string[], files: { from?: string } | undefined) =>
    formatUses(declared, { formats, files }).map(({ format, publishes, findsFiles }) => [
      format,
      publishes,
      findsFiles,
    ]);

  test('is that of the configuration where files do not matter', () => {
    expect(order(['oai_dc', 'xoai'], undefined)).toEqual([
      ['oai_dc', true, false],
      ['xoai', true, false],
    ]);
  });

  test('begins with the formats that know most about files', () => {
    expect(order(['oai_dc', 'xoai'], {})).toEqual([
      ['xoai', true, true],
      ['oai_dc', true, true],
    ]);
  });

  test('begins with the format that files are taken from, which may not be published at all', () => {
    expect(order(['oai_dc', 'xoai', 'mets'], { from: 'mets' })).toEqual([
      ['mets', true, true],
      ['oai_dc', true, false],
      ['xoai', true, false],
    ]);
    expect(order(['oai_dc'], { from: 'xoai' })).toEqual([
      ['xoai', false, true],
      ['oai_dc', true, false],
    ]);
  });

  test('says which published formats are still to come', () => {
    const uses = formatUses(declared, { formats: ['oai_dc', 'mets'], files: { from: 'xoai' } });
    const passes = passesOf(uses, ['a', 'b']);
    expect(passes.map((pass) => awaitedAfter(passes, pass))).toEqual([
      ['oai_dc', 'mets'],
      ['oai_dc', 'mets'],
      ['mets'],
      ['mets'],
      [],
      [],
    ]);
  });

  test('is that of the requests', async () => {
    const { pages, requests } = await harvest(
      () => list([record('1')]),
      { mode: 'full' },
      { formats: ['oai_dc', 'mods'], files: { from: 'xoai' } },
    );
    expect(requests.map((url) => /metadataPrefix=(\w+)/.exec(url)?.[1])).toEqual(['xoai', 'oai_dc', 'mods']);
    expect(pages.map(({ awaited }) => awaited)).toEqual([['oai_dc', 'mods'], ['mods'], undefined]);
    expect(pages[0]?.items[0]?.speaksFor.formats).toEqual([]);
  });
});

describe('Dates that are refused (quirks 42, 46, 56)', () => {
  const since = { mode: 'incremental', since: '2026-11-10T00:01:30Z' } as const;
  const fromOf = (url: string) => /from=([^&]*)/.exec(url)?.[1];

  test('with a time of day are sent as days from then on', async () => {
    const records = dated(30, '2026-11-01T00:00:00Z');
    const repository = () =>
      datedRepository(() => records, {
        list: ({ query }) =>
          (query.get('from') ?? '').length > 10 ? failure('badArgument', 'Bad date') : undefined,
      });
    const first = await repository();
    const { identifiers, lessons, problems } = await run(first.url, { request: since });
    expect(identifiers.size).toBe(22);
    expect(problems.map(({ message }) => message)).toEqual([
      'from=2026-11-09T23:59:29Z was refused (badArgument: Bad date); from=2026-11-09 is used.',
    ]);
    expect(lessons.get('granularity')).toBe('day');
    const second = await repository();
    const next = await run(second.url, { request: since, lessons });
    expect(next.problems).toEqual([]);
    expect(second.requests.filter((url) => url.includes('from=')).map(fromOf)).toEqual(['2026-11-09']);
  });

  test('altogether are not sent again for a month', async () => {
    const records = dated(5);
    const repository = () =>
      datedRepository(() => records, {
        list: ({ query }) => (query.has('from') ? failure('badArgument') : undefined),
      });
    const first = await repository();
    const { identifiers, lessons } = await run(first.url, { request: since });
    expect(identifiers).toEqual(idsOf(records));
    expect(lessons.get('from')).toBe('2026-12-21T12:00:00Z');
    const second = await repository();
    expect((await run(second.url, { request: since, lessons })).problems).toEqual([]);
    expect(second.requests.some((url) => url.includes('from='))).toBe(false);
    const old = createLessonBook({ now: () => new Date('2026-10-01T00:00:00Z') });
    old.learn('from', '2026-10-31T00:00:00Z', 'It refuses dates.');
    const third = await repository();
    await run(third.url, { request: since, lessons: old });
    expect(third.requests.some((url) => url.includes('from='))).toBe(true);
  });
});

describe('A checkpoint of an older release', () => {
  test('is understood', async () => {
    const { requests, items, pages } = await harvest(
      () => list([record('4')]),
      {
        mode: 'full',
        checkpoint: {
          version: 1,
          asOf: '2026-11-20T09:00:00Z',
          done: ['mods'],
          counted: 10,
          current: { key: 'oai_dc', token: 'abc', delivered: 3, restarted: false, lastPage: 'x' },
        },
      },
      { formats: ['mods', 'oai_dc'] },
    );
    // Twice: whether it had been asked for before, and names its page, is not known (quirk 2).
    const request = '/oai?verb=ListRecords&resumptionToken=abc';
    expect(requests).toEqual([request, request]);
    expect(ids(items)).toEqual(['4']);
    expect(pages.at(-1)).toMatchObject({
      asOf: '2026-11-20T09:00:00Z',
      checkpoint: { version: 2, done: ['mods', 'oai_dc'], counted: 14 },
    });
  });

  test('keeps its day as the beginning', async () => {
    const { requests } = await harvest(
      () => list([record('4')]),
      {
        mode: 'incremental',
        since: '2026-11-10T00:01:30Z',
        checkpoint: { version: 1, from: '2026-11-08', done: [], counted: 0 },
      },
      {},
      'YYYY-MM-DD',
    );
    expect(requests).toEqual(['/oai?verb=ListRecords&metadataPrefix=oai_dc&from=2026-11-08']);
  });

  test('that nobody understands begins again', async () => {
    for (const checkpoint of [
      { version: 3 },
      { version: 2, current: { key: 'oai_dc', windows: [{ window: 7 }] } },
      { version: 1, done: 'x', current: [] },
    ]) {
      const { items, error } = await harvest(() => list([record('1')]), { mode: 'full', checkpoint });
      expect(error).toBeUndefined();
      expect(ids(items)).toEqual(['1']);
    }
  });
});

describe('An item', () => {
  const open = (url: string) =>
    createAdapter(
      'oai-pmh',
      { url, overlapSeconds: 0, requestsPerHost: 1, files: undefined },
      createContext(),
    );
  const signal = new AbortController().signal;

  test('that the repository fails to give is not one that does not exist (quirk 69)', async () => {
    const { url } = await datedRepository(() => dated(3), {
      getRecord: (id) =>
        id === 'r1' ? { status: 500, body: '' } : id === 'r2' ? '<OAI-PMH><GetRecord></x>' : undefined,
    });
    const adapter = open(url);
    await expect(adapter.item('r0', signal)).resolves.toMatchObject({ identifier: 'r0' });
    await expect(adapter.item('r1', signal)).rejects.toMatchObject({ code: 'upstream-status' });
    await expect(adapter.item('r2', signal)).rejects.toMatchObject({ code: 'upstream-not-xml' });
    await expect(adapter.item('r9', signal)).resolves.toBeUndefined();
  });
});
