import { describe, expect, test } from 'vitest';
import { forbidsDeletions } from '../../../../src/core/adapter.ts';
import {
  type Behaviour,
  type DatedRecord,
  datedRepository,
  identifierRun,
  idsOf,
  run,
} from '../../../house/adapters/dated-repository.ts';
import { failure } from '../../../house/adapters/scripted-provider.ts';

/** So many records of one second, in turn in each of the sets. */
const filledAtOnce = (count: number, sets: readonly string[] = []): readonly DatedRecord[] =>
  Array.from({ length: count }, (_, index) => {
    const set = sets[index % Math.max(1, sets.length)];
    return { id: `r${index}`, at: '2026-02-20T08:00:00Z', ...(set === undefined ? {} : { set }) };
  });

/** Each list ends after so many, and nothing tells that there are more. */
const forgetful =
  (pageSize: number): NonNullable<Behaviour['list']> =>
  ({ matching, answer }) =>
    matching.length === 0
      ? undefined
      : answer({ page: matching.slice(0, pageSize), token: '', attributes: '' });

/** The list of everything leaves one out, as if it were on the next page. */
const lacks =
  (missing: string): NonNullable<Behaviour['list']> =>
  ({ set, matching, answer }) =>
    set === undefined && matching.length > 0
      ? answer({ page: matching.filter(({ id }) => id !== missing), token: '', attributes: '' })
      : undefined;

const doubts = (problems: readonly { readonly code: string }[]) =>
  problems.filter(({ code }) => code === 'list-doubtful');

describe('A list of one second, as long as a page may be, without a token (quirk 7)', () => {
  test.each([20, 25, 50, 100])(
    'of %i records is whole where its sets are shorter, and have no others',
    async (count) => {
      const sets = ['a', 'b', 'c'];
      const records = filledAtOnce(count, sets);
      const { url } = await datedRepository(() => records, { pageSize: count, sizeless: true, sets });
      const { identifiers, problems, lessons } = await run(url);
      expect(identifiers).toEqual(idsOf(records));
      expect(problems).toEqual([]);
      expect(lessons.get('list-end')).toBeUndefined();
      const listed = await identifierRun(url);
      expect(listed.problems).toEqual([]);
      expect(new Set(listed.entries.map(({ identifier }) => identifier)).size).toBe(count);
    },
  );

  test.each([
    ['there are no sets', 20, undefined, {}],
    ['one set has them all', 20, ['a'], { sets: ['a'] }],
    ['some are in no set', 21, ['a', 'b', 'c'], { sets: ['a', 'b'], list: forgetful(20) }],
    ['a set that records name is not listed', 20, ['a', 'b'], { sets: ['a'] }],
    ['a set cannot be listed', 20, ['a', 'b'], { sets: ['a', 'b'], broken: 'b' }],
    ['what sets have more cannot be had', 21, ['a', 'b'], { sets: ['a', 'b'], list: lacks('r20') }],
    ['its own identifiers cannot be listed', 20, ['a', 'b'], { sets: ['a', 'b'], unlisted: true }],
    ['sets are ignored', 20, ['a', 'b'], { sets: ['a', 'b'], ignored: true }],
    ['the sets may be cut off as well', 20, undefined, { sets: 'abcdefghij'.split('') }],
  ] as const)('is in doubt where %s', async (_why, count, own, behaviour) => {
    const records = filledAtOnce(count, own);
    const { broken, ignored, unlisted, list, ...rest } = {
      ...{ broken: '', ignored: false, unlisted: false, list: undefined },
      ...behaviour,
    };
    const { url } = await datedRepository(() => records, {
      pageSize: 20,
      sizeless: true,
      ...rest,
      getRecord: (id) => (id === 'r20' ? failure('idDoesNotExist') : undefined),
      list: (request) => {
        if (unlisted && request.verb === 'ListIdentifiers' && request.set === undefined)
          return failure('badArgument');
        if (broken !== '' && request.set === broken) return failure('badArgument');
        return ignored ? request.answer({ page: records, token: '' }) : list?.(request);
      },
    });
    const { problems } = await run(url);
    expect(doubts(problems)).toHaveLength(1);
    if (!unlisted) expect(doubts((await identifierRun(url)).problems)).toHaveLength(1);
  });

  test('is never whole where the server forgets its tokens', async () => {
    for (const sets of [
      ['a', 'b'],
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    ]) {
      const records = filledAtOnce(60, sets);
      const { url } = await datedRepository(() => records, { sets, list: forgetful(20) });
      const { problems } = await run(url);
      expect(doubts(problems)).toHaveLength(1);
      expect(problems.some(forbidsDeletions)).toBe(true);
    }
  });

  test('is whole where identifiers of another format come on longer pages', async () => {
    const records = filledAtOnce(35);
    const inDublinCore = (id: string) => Number(id.slice(1)) < 20;
    const { url } = await datedRepository(() => records, {
      pageSize: 100,
      sizeless: true,
      formats: ['other'],
      list: ({ query, matching, answer }) =>
        query.get('metadataPrefix') === 'oai_dc' && matching.length > 0
          ? answer({ page: matching.filter(({ id }) => inDublinCore(id)), token: '' })
          : undefined,
      getRecord: (id) => (inDublinCore(id) ? undefined : failure('cannotDisseminateFormat')),
    });
    const { items, problems } = await run(url, { settings: { formats: ['oai_dc'] } });
    expect(new Set(items.map(({ identifier }) => identifier)).size).toBe(20);
    expect(problems).toEqual([]);
  });
});

describe('`pageSize` of the source', () => {
  const small = filledAtOnce(20);
  const honest = () => datedRepository(() => small, { pageSize: 100, sizeless: true });

  test('is what the message asks for', async () => {
    const { url } = await honest();
    const { problems } = await run(url);
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'list-doubtful',
        message: expect.stringContaining('more than 20, as `pageSize` of the source.'),
      }),
    ]);
    expect(problems[0]?.message).not.toMatch(/\.\./);
  });

  test('makes a shorter list whole, for records and for identifiers', async () => {
    const { url } = await honest();
    const settings = { pageSize: 21 };
    expect((await run(url, { settings })).problems).toEqual([]);
    expect((await identifierRun(url, settings)).problems).toEqual([]);
  });

  test('says nothing of a list that is as long, or longer', async () => {
    const { url } = await honest();
    expect(doubts((await run(url, { settings: { pageSize: 20 } })).problems)).toHaveLength(1);
    expect(doubts((await run(url, { settings: { pageSize: 10 } })).problems)).toHaveLength(1);
  });

  test('is believed no more where other lists have what this one lacks', async () => {
    const sets = ['a', 'b', 'c', 'd'];
    const records = filledAtOnce(60, sets);
    const { url } = await datedRepository(() => records, { sets, list: forgetful(20) });
    const { problems, lessons } = await run(url, { settings: { pageSize: 100 } });
    expect(doubts(problems)).toHaveLength(1);
    expect(lessons.get('list-end')).toBe('20');
  });

  test('does not turn a refused token into an end', async () => {
    const records = filledAtOnce(60);
    const { url } = await datedRepository(() => records, {
      pageSize: 20,
      sizeless: true,
      list: ({ token }) => (token === undefined ? undefined : failure('badResumptionToken')),
    });
    const { problems, error } = await run(url, { settings: { pageSize: 100 } });
    expect(error !== undefined || problems.some(forbidsDeletions)).toBe(true);
  });
});
