import { describe, expect, test } from 'vitest';
import {
  type Checkpoint,
  forbidsDeletions,
  type PageRequest,
  type Problem,
} from '../../../../src/core/adapter.ts';
import { describeError } from '../../../../src/core/errors.ts';
import { harvest, ids, token } from '../../../house/adapters/harvest-script.ts';
import { failure, list, record, type Script } from '../../../house/adapters/scripted-provider.ts';

const incremental: PageRequest = { mode: 'incremental', since: '2026-11-10T00:00:00Z' };
const records = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => record(`r${first + index}`));
const size = (completeListSize: number, cursor = 0) =>
  `completeListSize="${completeListSize}" cursor="${cursor}"`;
const doubtful = (problems: readonly Problem[]) => problems.filter(({ code }) => code === 'list-doubtful');
const stored = (checkpoint: Checkpoint | undefined): Checkpoint => JSON.parse(JSON.stringify(checkpoint));

describe('A list that repeats itself (quirk 3)', () => {
  test('is not complete because its first page came often enough', async () => {
    const script: Script = () => list(records(0, 10), token('t', size(20)));
    for (const request of [{ mode: 'full' } as const, incremental]) {
      const { error, items, requests } = await harvest(script, request);
      expect(error).toMatchObject({ code: 'oai-token-loop' });
      expect(new Set(ids(items)).size).toBe(10);
      // Smaller lists were tried, and are the same; so was more company for the token.
      expect(requests.length).toBeLessThanOrEqual(9);
    }
  });

  test('is found out when each process reads one page', async () => {
    for (const tokens of [
      ['t', 't', 't'],
      ['t1', 't2', 't3'],
    ]) {
      let checkpoint: Checkpoint | undefined;
      const ends: unknown[] = [];
      for (const next of tokens) {
        const { pages, problems } = await harvest(
          (_query, nth) =>
            nth === 1
              ? list(records(0, 10), token(next, 'completeListSize="20"'))
              : { status: 403, body: '' },
          { mode: 'full', checkpoint },
        );
        checkpoint = stored(pages.at(-1)?.checkpoint ?? checkpoint);
        ends.push(problems.some(({ message }) => message.includes('repeats itself')));
      }
      expect(ends).toContain(true);
    }
  });

  test('is stopped at the third identical page, though every token is new', async () => {
    const { error, requests } = await harvest((_query, nth) => list(records(0, 3), token(`t${nth}`)));
    expect(error).toMatchObject({ code: 'oai-token-loop' });
    expect(requests.length).toBeLessThanOrEqual(9);
  });

  test('is stopped at once where the cursor stands still as well', async () => {
    const { error, requests } = await harvest((_query, nth) =>
      list(records(0, 3), token(`t${nth}`, size(30))),
    );
    expect(error).toMatchObject({ code: 'oai-token-loop' });
    expect(requests.length).toBeLessThanOrEqual(9);
  });

  test('is stopped when it goes in a circle', async () => {
    const { error, requests } = await harvest((_query, nth) =>
      list(records((nth % 3) * 10, 3), token(`t${nth}`)),
    );
    expect(error).toMatchObject({ code: 'oai-token-loop' });
    expect(requests.length).toBeLessThan(60);
  });

  test('is not one whose cursor alone stands still (quirk 15)', async () => {
    const { error, items, problems } = await harvest((_query, nth) =>
      list(records(nth * 10, 10), nth < 4 ? token(`t${nth}`, size(40)) : ''),
    );
    expect(error).toBeUndefined();
    expect(new Set(ids(items)).size).toBe(40);
    expect(problems).toEqual([]);
  });

  test('after everything it promised is over, but proves nothing', async () => {
    const { error, problems, requests } = await harvest((_query, nth) =>
      list(records(nth === 1 ? 0 : 10, 10), token(`t${nth}`, 'completeListSize="20"')),
    );
    expect(error).toBeUndefined();
    expect(requests).toHaveLength(3);
    expect(doubtful(problems)).toHaveLength(1);
  });
});

describe('A list that ends before its completeListSize (quirk 17)', () => {
  const early: Script = (query) =>
    query.has('resumptionToken')
      ? list(records(2, 1), token('', 'completeListSize="5"'))
      : list(records(0, 2), token('t', 'completeListSize="5"'));

  test('is over in a full run, and nothing may be deleted for it', async () => {
    const withoutElement: Script = (query, nth, url) =>
      query.has('resumptionToken') ? list(records(2, 1)) : early(query, nth, url);
    const onePage: Script = () => list(records(0, 3), token('', 'completeListSize="5"'));
    for (const script of [early, withoutElement, onePage]) {
      const { error, items, pages, problems } = await harvest(script);
      expect(error).toBeUndefined();
      expect(new Set(ids(items))).toEqual(new Set(['r0', 'r1', 'r2']));
      expect(pages.at(-1)?.checkpoint).toBeDefined();
      expect(problems).toEqual([
        {
          code: 'list-doubtful',
          format: 'oai_dc',
          part: {},
          message: 'The list of oai_dc ended after 3 of 5 records.',
        },
      ]);
      expect(problems.every(forbidsDeletions)).toBe(true);
    }
  });

  test('is read once more in an incremental run, then accepted', async () => {
    const twice = await harvest(early, incremental);
    expect(twice.error).toBeUndefined();
    expect(twice.requests).toHaveLength(4);
    expect(twice.problems.map(({ code }) => code)).toEqual(['endpoint-quirk', 'list-doubtful']);
    const healed = await harvest(
      (query, nth, url) =>
        nth > 2 && query.has('resumptionToken') ? list(records(2, 3)) : early(query, nth, url),
      incremental,
    );
    expect(healed.error).toBeUndefined();
    expect(new Set(ids(healed.items)).size).toBe(5);
    expect(healed.problems.map(({ code }) => code)).toEqual(['endpoint-quirk']);
  });

  test('is accepted in the end also where a request had to be repeated', async () => {
    const { error, problems } = await harvest((query, nth, url) =>
      nth === 2 ? { status: 500, body: '' } : early(query, nth, url),
    );
    expect(error).toBeUndefined();
    expect(problems.map(({ code }) => code)).toEqual(['endpoint-quirk', 'list-doubtful']);
  });

  test('is not one that delivers more than it said', async () => {
    const { error, problems } = await harvest(() => list(records(0, 7), token('', 'completeListSize="5"')));
    expect(error).toBeUndefined();
    expect(problems).toEqual([]);
  });
});

test('An empty list is doubtful in a full run, and ordinary in an incremental one', async () => {
  for (const body of [failure('noRecordsMatch'), list([])]) {
    const full = await harvest(() => body);
    expect(full.error).toBeUndefined();
    expect(full.problems).toEqual([
      {
        code: 'list-doubtful',
        format: 'oai_dc',
        message: 'The list of oai_dc is empty.',
        part: {},
        empty: true,
      },
    ]);
    expect((await harvest(() => body, incremental)).problems).toEqual([]);
  }
});

describe('Tokens that expire (quirk 1)', () => {
  const page = (at: number, last: number, generation: number) =>
    list(records(at, 1), at < last ? token(`${generation}:${at + 1}`) : '');

  test('between processes start the pass again each time', async () => {
    let checkpoint: Checkpoint | undefined;
    let generation = 0;
    const script: Script = (query, nth) => {
      const [made, at = '0'] = query.get('resumptionToken')?.split(':') ?? [];
      if (made !== undefined && Number(made) !== generation) return failure('badResumptionToken', 'Expired.');
      // The process ends after its second good page.
      return nth > 3 ? { status: 403, body: '' } : page(Number(at), 9, generation);
    };
    for (; generation < 4; generation += 1) {
      const { error, pages } = await harvest(script, { mode: 'full', checkpoint });
      expect(error).toMatchObject({ code: 'upstream-status' });
      checkpoint = stored(pages.findLast((one) => one.checkpoint !== undefined)?.checkpoint);
    }
    const last = await harvest(
      (query) => {
        const [made, at = '0'] = query.get('resumptionToken')?.split(':') ?? [];
        return made === '3' ? failure('badResumptionToken') : page(Number(at), 9, 5);
      },
      { mode: 'full', checkpoint },
    );
    expect(last.error).toBeUndefined();
    expect(new Set(ids(last.items)).size).toBe(10);
  });

  test('in one process start it again while each attempt gets further than any before', async () => {
    const patience = [2, 4, 4, 9];
    let generation = -1;
    const attempts = (lives: readonly number[]) =>
      harvest((query) => {
        const at = Number(query.get('resumptionToken')?.split(':')[1] ?? 0);
        if (at === 0) generation += 1;
        return at > (lives[generation] ?? 0) ? failure('badResumptionToken') : page(at, 6, generation);
      });
    const stuck = await attempts(patience);
    // Not a fourth time in one piece: smaller lists, which all begin anew here.
    expect(stuck.requests.findIndex((url) => url.includes('until'))).toBe(4 + 6 + 6);
    generation = -1;
    const through = await attempts([2, 4, 9]);
    expect(through.error).toBeUndefined();
    expect(new Set(ids(through.items)).size).toBe(7);
  });
});

describe('Messages', () => {
  const doubled = /[.:;,]\s*[.:;,]/;

  test('write codes as the repository does, and end in one stop', async () => {
    const script: Script = (query) =>
      query.has('resumptionToken')
        ? failure('badResumptionToken', 'It has expired..')
        : list(records(0, 1), token('t'));
    const { problems, error } = await harvest(script);
    expect(problems.map(({ message }) => message).slice(0, 2)).toEqual([
      'The list of oai_dc was started again: badResumptionToken: It has expired.',
      'The list of oai_dc could not be read in one piece (the repository answered with an error (badResumptionToken: It has expired)); it is read in smaller ones.',
    ]);
    expect(describeError(error)).toBe(
      'the repository answered with an error (badResumptionToken: It has expired)',
    );
    const other = await harvest(
      (query) => (query.has('from') ? failure('badArgument', 'No.') : list(records(0, 1))),
      incremental,
    );
    for (const { message } of other.problems) expect(message).not.toMatch(doubled);
  });

  test('of errors have no stop before what caused them', async () => {
    const answers: Script[] = [
      () => ({ status: 404, body: '<html><body>Not here.</body></html>' }),
      () => ({ status: 404, body: '' }),
      () => '',
      () => '{}',
      () => '<OAI-PMH></a>',
      () => failure('badVerb', 'Illegal verb.'),
    ];
    for (const answer of answers) {
      const text = describeError((await harvest(answer)).error);
      expect(text).not.toMatch(/[.:;,] *[.:;,]|\.$|\.\)/);
    }
  });

  test('about another attempt carry a sentence, not an error', async () => {
    const { logged } = await harvest((_query, nth) =>
      nth === 1 ? { status: 502, body: 'Bad gateway' } : list(records(0, 1)),
    );
    expect(logged).toEqual([
      {
        url: expect.stringMatching(/\/oai$/),
        attempt: 1,
        code: 'upstream-status',
        reason: expect.stringContaining('answered with HTTP status 502'),
        message: 'request failed, trying again',
      },
    ]);
  });
});

test('A second element in <metadata> is named, and the first is taken (quirk 89)', async () => {
  const two = record('x').replace('</metadata>', '<extra xmlns="urn:x"><a/></extra></metadata>');
  const { items, problems } = await harvest(() => list([two, record('y')]));
  expect(ids(items)).toEqual(['x', 'y']);
  expect(Buffer.from(items[0]?.metadata[0]?.content ?? []).toString()).toMatch(
    /^<oai_dc:dc[\s\S]*<\/oai_dc:dc>$/,
  );
  expect(problems).toEqual([
    {
      code: 'record-repaired',
      identifier: 'x',
      format: 'oai_dc',
      message:
        'The record x was repaired: <extra> was left out: only the first element in <metadata> is taken.',
    },
  ]);
});

describe('A token on the last page of a list whose size nobody states (quirks 4 and 16)', () => {
  const pages: Record<string, string> = {
    first: list(records(0, 3), token('t1')),
    t1: list(records(3, 3), token('t2')),
    t2: list(records(6, 2), token('t3')),
  };
  const script: Script = (query) =>
    pages[query.get('resumptionToken') ?? 'first'] ?? failure('noRecordsMatch');

  test('is no reason to doubt a page that was not full', async () => {
    const { error, items, problems, requests } = await harvest(script);
    expect(error).toBeUndefined();
    expect(ids(items)).toHaveLength(8);
    expect(problems).toEqual([]);
    expect(requests).toHaveLength(4);
  });

  test('and costs a few requests, not thousands, where the last page was full', async () => {
    const full: Script = (query) =>
      query.get('resumptionToken') === 't2' ? failure('noRecordsMatch') : script(query, 1, '');
    const { items, requests } = await harvest(full);
    expect(new Set(ids(items)).size).toBe(6);
    expect(requests.length).toBeLessThan(40);
  });
});
