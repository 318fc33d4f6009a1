import { describe, expect, test } from 'vitest';
import { createAdapter } from '../../../../adapters/index.ts';
import { forbidsDeletions } from '../../../../src/core/adapter.ts';
import { dated, datedRepository, idsOf, run } from '../../../house/adapters/dated-repository.ts';
import { harvest, token as tokenOf } from '../../../house/adapters/harvest-script.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import { failure, list, record } from '../../../house/adapters/scripted-provider.ts';

const ordinary = (requests: readonly string[]) => requests.filter((url) => url.includes('verb=ListRecords'));

describe('Raw tokens (quirks 8, 9)', () => {
  // The tokens of the repository have exclamation marks, which encodeURIComponent leaves; so they get a colon.
  const colon = (only: 'raw' | 'encoded') => ({
    list: ({
      url,
      query,
      offset,
      answer,
      matching,
    }: Parameters<NonNullable<Parameters<typeof datedRepository>[1]>['list'] & object>[0]) => {
      if (query.has('resumptionToken') && url.includes('%3A') !== (only === 'encoded')) {
        return failure('badResumptionToken');
      }
      const at = query.has('resumptionToken') ? Number(query.get('resumptionToken')?.split(':')[1]) : offset;
      return answer({
        page: matching.slice(at, at + 10),
        token: at + 10 < matching.length ? `at:${at + 10}` : '',
        attributes: '',
      });
    },
  });
  test('are learnt, used from the start of the next run, and given up when they fail', async () => {
    const records = dated(50);
    const { lessons } = createContext();
    const first = await datedRepository(() => records, colon('raw'));
    expect((await run(first.url, { lessons })).identifiers).toEqual(idsOf(records));
    expect(lessons.get('token-encoding')).toBe('raw');
    expect(ordinary(first.requests)).toHaveLength(6);
    const second = await datedRepository(() => records, colon('raw'));
    expect((await run(second.url, { lessons })).identifiers).toEqual(idsOf(records));
    expect(ordinary(second.requests)).toHaveLength(5);
    const third = await datedRepository(() => records, colon('encoded'));
    const { identifiers, problems } = await run(third.url, { lessons });
    expect(identifiers).toEqual(idsOf(records));
    expect(problems).toEqual([]);
    expect(lessons.get('token-encoding')).toBeUndefined();
  });
});

describe('Tokens that expire (quirk 1)', () => {
  const date = (seconds: number) =>
    ` expirationDate="${new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000).toISOString()}"`;

  test('between processes are not even asked for', async () => {
    const records = dated(50);
    const { url, requests } = await datedRepository(() => records, {
      list: ({ answer }) => answer({ attributes: date(60) }),
    });
    const begun = await run(url, { pages: 2 });
    const asked = requests.length;
    // A minute of the repository's clock, counted by ours, which stands still in between: so it is moved.
    const checkpoint = JSON.parse(
      JSON.stringify(begun.checkpoint).replace(/"expiresAt":"[^"]*"/, '"expiresAt":"2026-11-21T11:59:00Z"'),
    );
    const { identifiers, problems } = await run(url, { request: { mode: 'full', checkpoint } });
    expect(identifiers).toEqual(idsOf(records));
    expect(problems.map(({ message }) => message)).toEqual([
      'The list of oai_dc was started again: its token expired before it could be used.',
    ]);
    expect(requests.slice(asked).find((one) => one.includes('ListRecords'))).not.toContain('resumptionToken');
  });

  test('that were born dead are used all the same', async () => {
    const records = dated(50);
    const { url, requests } = await datedRepository(() => records, {
      list: ({ answer }) => answer({ attributes: date(-3600) }),
    });
    expect((await run(url)).identifiers).toEqual(idsOf(records));
    expect(ordinary(requests)).toHaveLength(5);
  });
});

test('The next request leaves before the page it follows is taken (request-ahead)', async () => {
  const big = Array.from({ length: 1000 }, (_, index) => record(`n${index}`));
  const { url, requests } = await datedRepository(() => [], {
    list: ({ token }) => (token === undefined ? list(big, tokenOf('more')) : list([record('last')])),
  });
  const settings = { url, overlapSeconds: 0, requestsPerHost: 1, files: undefined };
  const adapter = createAdapter('oai-pmh', settings, createContext());
  const signal = new AbortController().signal;
  const pages = adapter.pages({ mode: 'full' }, signal)[Symbol.asyncIterator]();
  const sizes: (number | undefined)[] = [];
  for (let page = 0; page < 3; page += 1) {
    sizes.push((await pages.next()).value?.items.length);
  }
  expect(sizes).toEqual([300, 300, 300]);
  // Three of the four parts of the response were taken; its token is used already.
  await expect.poll(() => requests.filter((one) => one.includes('resumptionToken')).length).toBe(1);
  await pages.return?.();
});

describe('A set that is forgotten behind the first page (quirk 11)', () => {
  const records = dated(60).map((one, index) => ({ ...one, set: index % 2 === 0 ? 'even' : 'odd' }));
  const even = new Set(records.filter(({ set }) => set === 'even').map(({ id }) => id));
  const settings = { collections: ['even'] };
  const forgetful = (needs: readonly string[]) => () =>
    datedRepository(() => records, {
      list: ({ token, query, offset, answer, from, until }) => {
        if (token === undefined) return answer({ attributes: '' });
        const kept = needs.length > 0 && needs.every((name) => query.has(name));
        const rest = kept ? records.filter(({ set }) => set === 'even') : records;
        const end = offset + 10;
        return answer({
          page: rest.slice(offset, end),
          token: end < rest.length ? `${end}!${from ?? ''}!${until ?? ''}!even` : '',
          attributes: '',
        });
      },
    });

  test.each([
    [['metadataPrefix'], 'prefix'],
    [['metadataPrefix', 'set'], 'all'],
  ])('is not where %s go along with the token', async (needs, level) => {
    const repository = forgetful(needs);
    const first = await repository();
    const { identifiers, lessons, error } = await run(first.url, { settings });
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(even);
    expect(lessons.get('token-arguments')).toBe(level);
    const second = await repository();
    expect((await run(second.url, { settings, lessons })).identifiers).toEqual(even);
    expect(ordinary(second.requests)).toHaveLength(3);
  });

  test('is remembered by us where nothing helps', async () => {
    const { url } = await forgetful([])();
    const { identifiers, lessons, error, items } = await run(url, { settings });
    expect(error).toBeUndefined();
    expect([...identifiers].every((id) => even.has(id))).toBe(true);
    expect(items.length).toBeGreaterThan(10);
    expect(lessons.get('set-filter')).toBe('lost');
    expect(lessons.get('token-arguments')).toBeUndefined();
  });

  test('says nothing where headers state other sets from the start', async () => {
    const { url } = await datedRepository(() => dated(30).map((one) => ({ ...one, set: 'hash-of-even' })), {
      list: ({ offset, answer, set }) => {
        const page = dated(30)
          .slice(offset, offset + 10)
          .map((one) => ({ ...one, set: 'hash-of-even' }));
        return answer({ page, token: offset < 20 ? `${offset + 10}!!!${set}` : '', attributes: '' });
      },
    });
    const { identifiers, lessons } = await run(url, { settings });
    expect(identifiers.size).toBe(30);
    expect(lessons.get('set-filter')).toBeUndefined();
  });
});

test('A token that is refused without its format gets it (quirk 11)', async () => {
  const records = dated(30);
  const { url } = await datedRepository(() => records, {
    list: ({ token, query }) =>
      token !== undefined && !query.has('metadataPrefix')
        ? failure('badArgument', 'metadataPrefix is missing')
        : undefined,
  });
  const { identifiers, lessons } = await run(url);
  expect(identifiers).toEqual(idsOf(records));
  expect(lessons.get('token-arguments')).toBe('prefix');
});

describe('A list of a round number of records without a token (quirk 7)', () => {
  test('that is cut off is read in windows, now and in the next run', async () => {
    const records = dated(470);
    const repository = () =>
      datedRepository(() => records, {
        list: ({ matching, answer }) => {
          if (matching.length === 0) return undefined;
          return answer({ page: matching.slice(0, 100), token: '', attributes: '' });
        },
      });
    const { url, requests } = await repository();
    const { identifiers, lessons, problems, error } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(lessons.get('list-end')).toBe('100');
    expect(problems.filter(forbidsDeletions)).toEqual([]);
    expect(ordinary(requests).length).toBeLessThan(40);
    const again = await repository();
    expect((await run(again.url, { lessons })).identifiers).toEqual(idsOf(records));
  });

  test('that is whole is looked into each time, because it may not be so the next time', async () => {
    const records = dated(100);
    const repository = () => datedRepository(() => records, { pageSize: 100, sizeless: true });
    const first = await repository();
    const { identifiers, lessons, problems } = await run(first.url);
    expect(identifiers).toEqual(idsOf(records));
    expect(problems).toEqual([]);
    expect(lessons.get('list-end')).toBeUndefined();
    expect(ordinary(first.requests).length).toBeLessThan(6);
    const second = await repository();
    expect((await run(second.url, { lessons })).problems).toEqual([]);
    expect(ordinary(second.requests).length).toBeLessThan(6);
  });

  test('is doubtful where windows say the same', async () => {
    const { problems, items } = await harvest(() =>
      list(Array.from({ length: 100 }, (_, n) => record(`r${n}`))),
    );
    expect(items.length).toBeGreaterThanOrEqual(100);
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'list-doubtful',
        message: expect.stringContaining(
          'exactly 100 records, and cannot be divided: it may have been cut off',
        ),
      }),
    ]);
  });
});

test('A list that gives some twice and others not is read once more (quirk 18)', async () => {
  const records = dated(60);
  let firsts = 0;
  const { url, requests } = await datedRepository(() => records, {
    list: ({ token, offset, answer }) => {
      if (token === undefined) firsts += 1;
      return offset === 20 && firsts === 1 ? answer({ page: records.slice(15, 25) }) : undefined;
    },
  });
  const { identifiers, problems } = await run(url);
  expect(identifiers).toEqual(idsOf(records));
  expect(problems.map(({ message }) => message)).toEqual([
    'The list of oai_dc was started again: it ended after 55 of 60 records.',
  ]);
  expect(ordinary(requests)).toHaveLength(12);
});

describe('A server that can keep few lists open (quirk 20)', () => {
  const text =
    'search_phase_execution_exception: Trying to create too many scroll contexts. Must be less than 500';

  test.each([
    ['as an error', failure('internalError', text)],
    ['as HTTP 500', { status: 500, body: `{"error": "${text}"}` }],
    ['as a page', `<html><body>${text}</body></html>`],
  ])('says so %s, is left alone for a minute, and read one list at a time', async (_how, answer) => {
    const records = dated(400);
    let open = 0;
    const { url } = await datedRepository(() => records, {
      list: () => {
        open += 1;
        return open === 4 ? answer : undefined;
      },
    });
    const { identifiers, lessons, sleeps, error } = await run(url, { settings: { requestsPerHost: 4 } });
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(sleeps).toContain(60_000);
    expect(lessons.get('lists-at-once')).toBe('1');
  });
});

describe('Scroll tokens', () => {
  test('that were used up by a lost answer cost a window, not the run (quirk 2)', async () => {
    const records = dated(400, '2020-01-01T00:00:00Z', 6 * 86_400);
    let lost = false;
    const scrolls = new Map<string, number>();
    const { url } = await datedRepository(() => records, {
      list: ({ token, matching, answer, from = '', until = '', offset }) => {
        const key = `${from} ${until}`;
        const at = token === undefined ? 0 : (scrolls.get(key) ?? offset);
        scrolls.set(key, at + 10);
        if (at === 30 && !lost && from !== '') {
          lost = true;
          return { status: 502, body: 'lost' };
        }
        return answer({
          page: matching.slice(at, at + 10),
          token: at + 10 < matching.length ? `${at + 10}!${from}!${until}!` : '',
          attributes: ` completeListSize="${matching.length}" cursor="${at}"`,
        });
      },
    });
    const { identifiers, problems, error } = await run(url);
    expect(error).toBeUndefined();
    expect(lost).toBe(true);
    expect(identifiers).toEqual(idsOf(records));
    expect(problems.filter(forbidsDeletions)).toEqual([]);
  });
});

describe('Long requests (quirk 33)', () => {
  const long = 'x'.repeat(2500);

  test('go by POST', async () => {
    const script: Parameters<typeof harvest>[0] = (query) =>
      query.get('resumptionToken') === null ? list([record('1')], tokenOf(long)) : list([record('2')]);
    const { error, lessons } = await posting(script, () => undefined);
    expect(error).toBeUndefined();
    expect(lessons.get('post')).toBeUndefined();
  });

  test('but by GET where POST is refused, which is remembered', async () => {
    const script: Parameters<typeof harvest>[0] = (query) =>
      query.get('resumptionToken') === null ? list([record('1')], tokenOf(long)) : list([record('2')]);
    const { error, lessons, methods } = await posting(script, () => 405);
    expect(error).toBeUndefined();
    expect(lessons.get('post')).toBe('refused');
    expect(methods.slice(-2)).toEqual(['POST', 'GET']);
  });

  async function posting(script: Parameters<typeof harvest>[0], refuse: () => number | undefined) {
    const { createServer } = await import('node:http');
    const { repository } = await import('../../../house/adapters/scripted-provider.ts');
    const answers = repository(script);
    const methods: string[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      methods.push(request.method ?? '');
      const status = request.method === 'POST' ? refuse() : undefined;
      const query =
        request.method === 'POST'
          ? new URLSearchParams(body)
          : new URL(request.url ?? '', 'http://x').searchParams;
      response.writeHead(status ?? 200, { 'content-type': 'text/xml' });
      response.end(status === undefined ? (answers(query, 0, '') as string) : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      const { error, lessons, identifiers } = await run(`http://127.0.0.1:${port}/oai`);
      expect(identifiers).toEqual(new Set(['1', '2']));
      return { error, lessons, methods };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
});
