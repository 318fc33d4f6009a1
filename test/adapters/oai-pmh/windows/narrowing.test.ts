import { describe, expect, test } from 'vitest';
import { forbidsDeletions } from '../../../../src/core/adapter.ts';
import {
  dated,
  datedRepository,
  identifierRun,
  idsOf,
  type ListRequest,
  run,
} from '../../../house/adapters/dated-repository.ts';
import { type Answer, failure } from '../../../house/adapters/scripted-provider.ts';

const lists = (requests: readonly string[]) => requests.filter((url) => url.includes('verb=ListRecords'));
const without = (ids: ReadonlySet<string>, ...missing: readonly string[]) =>
  new Set([...ids].filter((id) => !missing.includes(id)));

describe('A list that is too much at once is read in smaller ones', () => {
  const html = { status: 413, body: '<html><body>Request Entity Too Large</body></html>' };
  test.each<[string, Answer, number]>([
    ['HTTP 413 and a page for people (quirk 14)', html, 0],
    ['HTTP 500 (quirk 13)', { status: 500, body: '' }, 2],
    ['HTTP 504', { status: 504, body: 'Gateway Time-out' }, 2],
    ['an error of its own making', failure('tooManyResults', 'Please narrow the date range'), 0],
    ['badArgument', failure('badArgument', 'Too many records, limit is 100'), 0],
    ['nothing, cut off', '', 2],
  ])('where it is answered by %s', async (_what, tooMuch, sleeps) => {
    const records = dated(300);
    const { url, requests } = await datedRepository(() => records, {
      list: ({ matching }) => (matching.length > 100 ? tooMuch : undefined),
    });
    const { error, identifiers, problems, sleeps: slept } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(problems.map(({ code }) => code)).toEqual(['endpoint-quirk']);
    expect(slept).toHaveLength(sleeps);
    expect(lists(requests).length).toBeLessThan(70);
  });

  test('where its tokens do not live long enough for it (quirk 1)', async () => {
    const records = dated(190);
    const { url } = await datedRepository(() => records, {
      list: ({ token, offset }) =>
        token && offset > 60 ? failure('badResumptionToken', 'expired') : undefined,
    });
    const { error, identifiers } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
  });

  test('where it goes in a loop (quirk 3)', async () => {
    const records = dated(190);
    const { url } = await datedRepository(() => records, {
      list: ({ offset, answer, from = '', until = '' }) =>
        offset === 50 ? answer({ token: `50!${from}!${until}!` }) : undefined,
    });
    const { error, identifiers } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
  });

  test('where it ends far too early (quirk 17)', async () => {
    const records = dated(190);
    const { url } = await datedRepository(() => records, {
      list: ({ offset, answer }) => (offset === 50 ? answer({ token: '' }) : undefined),
    });
    const { error, identifiers, problems } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(problems.filter(forbidsDeletions)).toEqual([]);
  });

  test('where a page of hidden records ends it (quirk 19)', async () => {
    const records = dated(190);
    const { url } = await datedRepository(() => records, {
      list: ({ offset, matching }) =>
        offset > 0 && matching.length > 60 && offset === 40 ? failure('noRecordsMatch') : undefined,
    });
    const { error, identifiers, problems } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(problems.filter(forbidsDeletions)).toEqual([]);
  });

  test('but where it is always refused, the run ends with what the repository said first', async () => {
    for (const [answer, code] of [
      [{ status: 500, body: '' }, 'upstream-status'],
      [failure('mystery', 'no'), 'oai-error'],
    ] as const) {
      const { url, requests } = await datedRepository(() => dated(30), { list: () => answer });
      const { error } = await run(url);
      expect(error).toMatchObject({ code });
      expect(lists(requests).length).toBeLessThan(25);
    }
  });
});

describe('A bad record', () => {
  const poison =
    (answer: Answer, ...ids: readonly string[]) =>
    ({ verb, page }: ListRequest) =>
      verb === 'ListRecords' && page.some(({ id }) => ids.includes(id)) ? answer : undefined;

  test.each<[string, Answer]>([
    ['answered by HTTP 500', { status: 500, body: '' }],
    ['that cuts its page off', '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>'],
    ['that is not XML', '<OAI-PMH><ListRecords></a>'],
  ])('%s is found, named, and costs no other (quirk 12)', async (_what, answer) => {
    const records = dated(150);
    for (const requestsPerHost of [1, 4]) {
      const { url, requests } = await datedRepository(() => records, {
        list: poison(answer, 'r77', 'r101'),
        getRecord: (id) => (id === 'r77' || id === 'r101' ? { status: 500, body: '' } : undefined),
      });
      const { error, identifiers, problems } = await run(url, { settings: { requestsPerHost } });
      expect(error).toBeUndefined();
      expect(identifiers).toEqual(without(idsOf(records), 'r77', 'r101'));
      expect(
        problems
          .filter(({ code }) => code === 'record-quarantined')
          .map(({ identifier }) => identifier)
          .sort(),
      ).toEqual(['r101', 'r77']);
      expect(problems.filter(forbidsDeletions)).toEqual([]);
      expect(requests.length).toBeLessThan(400);
    }
  });

  test('that only its list cannot give is had alone', async () => {
    const records = dated(50);
    const { url } = await datedRepository(() => records, {
      list: poison({ status: 502, body: '' }, 'r0', 'r49'),
    });
    const { error, identifiers, problems } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(problems.map(({ code }) => code)).toEqual(['endpoint-quirk']);
  });

  test('among many of the same second is found there', async () => {
    const records = dated(60, '2024-01-01T00:00:00Z', 0);
    const { url, requests } = await datedRepository(() => records, {
      list: poison({ status: 500, body: '' }, 'r33'),
      getRecord: (id) => (id === 'r33' ? { status: 500, body: '' } : undefined),
    });
    const { error, identifiers, problems } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(without(idsOf(records), 'r33'));
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'record-quarantined', identifier: 'r33' }),
    );
    // What had come already is not asked for again.
    expect(
      requests.filter((one) => one.includes('GetRecord&') && one.includes('identifier=r1&')).length,
    ).toBe(0);
  });

  test('in whole days, with deleted neighbours', async () => {
    const records = dated(60, '2024-01-01T00:00:00Z', 8000).map((record, index) => ({
      ...record,
      deleted: index % 3 === 0,
    }));
    const { url } = await datedRepository(() => records, {
      granularity: 'day',
      list: poison({ status: 500, body: '' }, 'r34'),
      getRecord: (id) => (id === 'r34' ? { status: 500, body: '' } : undefined),
    });
    const { error, identifiers, items } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(without(idsOf(records), 'r34'));
    expect(new Set(items.filter(({ deleted }) => deleted).map(({ identifier }) => identifier)).size).toBe(20);
  });

  test('whose window cannot even be listed makes the run doubtful, and nothing else', async () => {
    const records = dated(60);
    const { url } = await datedRepository(() => records, {
      list: ({ page }) => (page.some(({ id }) => id === 'r33') ? { status: 500, body: '' } : undefined),
    });
    const { error, identifiers, problems } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(without(idsOf(records), 'r33'));
    const doubts = problems.filter(({ code }) => code === 'list-doubtful');
    expect(doubts.length).toBeGreaterThan(0);
    expect(doubts[0]?.message).toMatch(/^Neither records nor identifiers of oai_dc from .* could be listed/);
  });

  test('is not looked for once the repository wants a login (quirk 39)', async () => {
    const records = dated(60);
    let calls = 0;
    const { url } = await datedRepository(() => records, {
      list: ({ page }) => {
        calls += 1;
        if (calls > 12) return { status: 403, body: '<html>no</html>' };
        return page.some(({ id }) => id === 'r33') ? { status: 500, body: '' } : undefined;
      },
    });
    const { error } = await run(url);
    expect(error).toMatchObject({ code: 'upstream-status', message: expect.stringContaining('403') });
    expect(calls).toBe(13);
  });

  test('that only its list cannot give costs the next run one request to each list that has it', async () => {
    const records = dated(60);
    let asked: string[] = [];
    const { url } = await datedRepository(() => records, {
      list: ({ verb, page, url: list }) => {
        if (verb !== 'ListRecords' || !page.some(({ id }) => id === 'r33')) return undefined;
        asked.push(list);
        return { status: 500, body: '' };
      },
    });
    const { lessons } = await run(url);
    const searching = asked.length;
    asked = [];
    expect((await run(url, { lessons })).identifiers).toEqual(idsOf(records));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked).toEqual([...new Set(asked)]);
    expect(asked.length).toBeLessThan(searching / 5);
  });

  test('is asked for alone only where the smallest list that has it was tried with patience', async () => {
    const records = dated(60);
    const asked = new Map<string, number>();
    const { url, requests } = await datedRepository(() => records, {
      list: ({ verb, page, url: list }) => {
        if (verb !== 'ListRecords' || !page.some(({ id }) => id === 'r33')) return undefined;
        asked.set(list, (asked.get(list) ?? 0) + 1);
        return asked.get(list) === 4 ? undefined : { status: 503, body: '' };
      },
    });
    const { error, identifiers } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(requests.filter((one) => one.includes('verb=GetRecord'))).toEqual([]);
  });

  test('in a list that cannot be any smaller is asked for alone after three attempts', async () => {
    // All of one day, which is the day from which a run asks for what is new.
    const records = dated(60, '2026-11-21T00:00:00Z', 60);
    const { url, requests } = await datedRepository(() => records, {
      granularity: 'day',
      list: poison({ status: 503, body: '' }, 'r33'),
    });
    const request = { mode: 'incremental', since: '2026-11-21T12:00:00Z' } as const;
    const { error, identifiers } = await run(url, { request });
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(lists(requests).filter((one) => one.includes('resumptionToken=30!'))).toHaveLength(3);
  });

  test('is searched for across processes', async () => {
    const records = dated(60);
    const { url } = await datedRepository(() => records, {
      list: poison({ status: 500, body: '' }, 'r33'),
      getRecord: (id) => (id === 'r33' ? { status: 500, body: '' } : undefined),
    });
    const seen = new Set<string>();
    const named = new Set<string | undefined>();
    let checkpoint: Record<string, unknown> | undefined;
    for (let process = 0; process < 100; process += 1) {
      const part = await run(url, { request: { mode: 'full', checkpoint }, pages: 2 });
      expect(part.error).toBeUndefined();
      for (const id of part.identifiers) seen.add(id);
      for (const problem of part.problems) named.add(problem.identifier);
      checkpoint = part.checkpoint ?? checkpoint;
      if (part.pages.length < 2) break;
    }
    expect(checkpoint).toMatchObject({ done: ['oai_dc'] });
    expect(seen).toEqual(without(idsOf(records), 'r33'));
    expect(named).toContain('r33');
  });
});

describe('Identifiers', () => {
  test('are listed to the end, in windows and several at a time where there are many', async () => {
    const records = dated(400).map((record, index) => ({ ...record, set: 'a', deleted: index === 7 }));
    for (const requestsPerHost of [1, 4]) {
      const { url } = await datedRepository(() => records);
      const { error, entries, problems, pages } = await identifierRun(url, { requestsPerHost });
      expect(error).toBeUndefined();
      expect(new Set(entries.map(({ identifier }) => identifier))).toEqual(idsOf(records));
      expect(entries.find(({ identifier }) => identifier === 'r7')).toEqual({
        identifier: 'r7',
        datestamp: '2020-01-08T00:00:00Z',
        collections: ['a'],
        deleted: true,
      });
      expect(problems).toEqual([]);
      expect(pages[0]?.format).toBe('oai_dc');
      expect(pages.at(-1)?.checkpoint).toMatchObject({ done: ['oai_dc'] });
    }
  });

  test('of a window that cannot be listed leave the list in doubt', async () => {
    const records = dated(60);
    const { url, requests } = await datedRepository(() => records, {
      list: ({ page }) => (page.some(({ id }) => id === 'r33') ? { status: 500, body: '' } : undefined),
    });
    const { error, entries, problems } = await identifierRun(url);
    expect(error).toBeUndefined();
    expect(new Set(entries.map(({ identifier }) => identifier))).toEqual(without(idsOf(records), 'r33'));
    expect(problems.map(({ code }) => code)).toContain('list-doubtful');
    expect(requests.some((one) => one.includes('GetRecord'))).toBe(false);
  });

  test('that nobody lists prove nothing', async () => {
    const { url } = await datedRepository(() => []);
    expect((await identifierRun(url)).problems.map(({ code }) => code)).toEqual(['list-doubtful']);
  });
});
