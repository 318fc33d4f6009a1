import { describe, expect, test, vi } from 'vitest';
import { createAdapter } from '../../../../adapters/index.ts';
import type { Checkpoint } from '../../../../src/core/adapter.ts';
import {
  type DatedRecord,
  dated,
  datedRepository,
  idsOf,
  run,
} from '../../../house/adapters/dated-repository.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import { failure } from '../../../house/adapters/scripted-provider.ts';

const never = new AbortController().signal;
const lists = (requests: readonly string[]) =>
  requests.filter((url) => url.includes('verb=List') && !url.includes('Formats'));
const firsts = (requests: readonly string[]) =>
  lists(requests).filter((url) => url.includes('metadataPrefix=') && !url.includes('Token'));

describe('A long list is read in windows', () => {
  test('that share a granule, open at the beginning and at the end', async () => {
    const records = dated(300);
    const { url, requests } = await datedRepository(() => records);
    const { error, identifiers, problems, lessons } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(problems).toEqual([]);
    expect(lessons.get('windows')).toBeUndefined();
    const windows = firsts(requests)
      .slice(1)
      .map((one) => new URL(one, url).searchParams);
    expect(windows.length).toBeGreaterThan(2);
    expect(windows[0]?.has('from')).toBe(false);
    expect(windows.at(-1)?.has('until')).toBe(false);
    // Nothing lies between two of them.
    for (const [index, query] of windows.slice(1).entries()) {
      expect(query.get('from')).toBe(windows[index]?.get('until'));
    }
    // Little more than one chain takes.
    expect(lists(requests).length).toBeLessThan(30 * 1.4);
  });

  test('of which the next are asked for before the page that ends one is stored', async () => {
    const { url, requests } = await datedRepository(() => dated(300));
    const settings = { url, overlapSeconds: 120, requestsPerHost: 4, files: undefined };
    const pages = createAdapter('oai-pmh', settings, createContext()).pages({ mode: 'full' }, never);
    const first = await pages[Symbol.asyncIterator]().next();
    expect(first.done).toBe(false);
    // Nobody asks for the second page yet.
    await vi.waitFor(() => expect(firsts(requests)).toHaveLength(1 + 4), { timeout: 60_000, interval: 10 });
    await pages[Symbol.asyncIterator]().return?.(undefined);
  });

  test('but not where it has twenty pages', async () => {
    const records = dated(200);
    const { url, requests } = await datedRepository(() => records);
    expect((await run(url)).identifiers.size).toBe(200);
    expect(firsts(requests)).toHaveLength(1);
    expect(lists(requests)).toHaveLength(20);
  });

  const shuffled = (records: readonly DatedRecord[]) =>
    [...records].sort(
      (a, b) => ((Number(a.id.slice(1)) * 7919) % 1009) - ((Number(b.id.slice(1)) * 7919) % 1009),
    );
  const future = { id: 'future', at: '2031-01-01T00:00:00Z' };
  test.each([
    ['all of one second', dated(400, '2024-05-05T10:00:00Z', 0), {}],
    ['of a single day, in no order', shuffled(dated(400, '2024-05-05T10:00:00Z', 60)), {}],
    ['in no order', shuffled(dated(400)), {}],
    ['the newest first', [...dated(400)].reverse(), {}],
    ['older than the earliest datestamp (quirk 45)', dated(400, '1995-01-01T00:00:00Z'), {}],
    [
      'all older than an earliest datestamp of today (quirk 44)',
      dated(400),
      { earliest: '2026-11-20T09:00:00Z' },
    ],
    ['far behind an earliest datestamp of 1970', dated(400), { earliest: '1970-01-01T00:00:00Z' }],
    ['behind an illegible earliest datestamp', dated(400), { earliest: 'aaaa-bb-cc' }],
    ['with a future among them (quirk 54)', [...dated(400), future], {}],
    ['all of this moment (quirk 47)', dated(400, '2026-11-20T10:00:00Z', 0), {}],
    ['in whole days', dated(400), { granularity: 'day' as const }],
    ['in whole days, many a day', dated(800, '2024-01-01T00:00:00Z', 3600), { granularity: 'day' as const }],
    ['without a size', dated(400), { sizeless: true }],
  ])('and loses nothing of records %s', async (_what, records, behaviour) => {
    for (const requestsPerHost of [1, 6]) {
      const { url, requests } = await datedRepository(() => records, behaviour);
      const { error, identifiers, problems } = await run(url, { settings: { requestsPerHost } });
      expect(error).toBeUndefined();
      expect(identifiers).toEqual(idsOf(records));
      expect(problems).toEqual([]);
      expect(lists(requests).length).toBeLessThan(2.2 * (records.length / 10) + 20);
    }
  });

  test('as many at a time as are allowed', async () => {
    const records = dated(600);
    const take = async (requestsPerHost: number) => {
      const { url, most } = await datedRepository(() => records, { latency: 25 });
      const { identifiers } = await run(url, { settings: { requestsPerHost } });
      expect(identifiers).toEqual(idsOf(records));
      return most();
    };
    const one = await take(1);
    const six = await take(6);
    expect(one).toBe(1);
    expect(six).toBeGreaterThan(3);
    expect(six).toBeLessThanOrEqual(6);
  });

  test('and goes on behind any of its pages, in a process that was killed', async () => {
    const records = dated(400);
    for (const requestsPerHost of [1, 4]) {
      const { url } = await datedRepository(() => records);
      const seen = new Set<string>();
      let checkpoint: Checkpoint | undefined;
      for (let process = 0; process < 200; process += 1) {
        const part = await run(url, {
          request: { mode: 'full', checkpoint },
          settings: { requestsPerHost },
          pages: 3,
        });
        expect(part.error).toBeUndefined();
        for (const id of part.identifiers) seen.add(id);
        checkpoint = part.checkpoint ?? checkpoint;
        if (part.pages.length < 3) break;
      }
      expect(seen).toEqual(idsOf(records));
      expect(checkpoint).toMatchObject({ done: ['oai_dc'] });
    }
  });

  test('and meets in the last one what changes in the meantime', async () => {
    let records: readonly DatedRecord[] = dated(400);
    let moved = false;
    const { url } = await datedRepository(() => records, {
      list: ({ nth }) => {
        if (nth !== 6 || moved) return undefined;
        moved = true;
        // From windows that are still to be read into the present.
        records = records.map((record, index) =>
          index > 300 && index < 320 ? { ...record, at: '2026-11-20T10:00:05Z' } : record,
        );
        return undefined;
      },
    });
    const { identifiers, problems } = await run(url);
    expect(moved).toBe(true);
    expect(identifiers).toEqual(idsOf(records));
    expect(problems).toEqual([]);
  });
});

describe('An `until` that cannot be relied on', () => {
  test('because it is ignored is noticed where a list goes on beyond its window', async () => {
    const records = dated(300, '2020-01-01T00:00:00Z', 8 * 86_400);
    const { url, requests } = await datedRepository(() => records, {
      list: ({ from, offset, answer }) => {
        const behind = records.filter(({ at }) => from === undefined || at >= from);
        const end = offset + 10;
        return answer({
          page: behind.slice(offset, end),
          token: end < behind.length ? `${end}!${from ?? ''}!!` : '',
          attributes: ` completeListSize="${behind.length}" cursor="${offset}"`,
        });
      },
    });
    const { identifiers, lessons, error, problems } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(lessons.get('windows')).toBe('ignored');
    expect(lessons.get('token-arguments')).toBeUndefined();
    expect(problems.map(({ code }) => code)).toEqual(['endpoint-quirk']);
    expect(lists(requests).length).toBeLessThan(60);
  });

  test('because records come from outside (quirk 48) means one list, now and in the next run', async () => {
    const records = [...dated(300)].reverse();
    const repository = () =>
      datedRepository(() => records, {
        list: ({ query, offset, answer, token }) =>
          token === undefined && (query.has('until') || query.has('from'))
            ? answer({ page: records.slice(offset, offset + 10), token: '10!!!' })
            : undefined,
      });
    const { url, requests } = await repository();
    const first = await run(url);
    expect(first.error).toBeUndefined();
    expect(first.identifiers).toEqual(idsOf(records));
    expect(first.lessons.get('windows')).toBe('ignored');
    expect(lists(requests).length).toBeLessThan(35);
    const next = await repository();
    const second = await run(next.url, { lessons: first.lessons });
    expect(second.identifiers).toEqual(idsOf(records));
    expect(firsts(next.requests)).toHaveLength(1);
  });

  test('because it is exclusive, or a day is its midnight, loses nothing (quirk 49)', async () => {
    const records = dated(600, '2024-01-01T00:00:00Z', 7200);
    for (const granularity of ['second', 'day'] as const) {
      const { url } = await datedRepository(() => records, {
        granularity,
        list: ({ from, until, set, offset, answer }) => {
          const inside = records.filter(
            ({ at }) => (from === undefined || at >= from) && (until === undefined || at < until),
          );
          if (inside.length === 0) return failure('noRecordsMatch');
          const end = offset + 10;
          return answer({
            page: inside.slice(offset, end),
            token: end < inside.length ? `${end}!${from ?? ''}!${until ?? ''}!${set ?? ''}` : '',
            attributes: ` completeListSize="${inside.length}" cursor="${offset}"`,
          });
        },
      });
      for (const requestsPerHost of [1, 5]) {
        const { identifiers, error, problems } = await run(url, { settings: { requestsPerHost } });
        expect(error).toBeUndefined();
        expect(identifiers).toEqual(idsOf(records));
        expect(problems).toEqual([]);
      }
    }
  });

  test('because dates are refused altogether means one list', async () => {
    const records = dated(300);
    const { url } = await datedRepository(() => records, {
      list: ({ query }) =>
        query.has('until') ? failure('badArgument', 'Unknown argument until') : undefined,
    });
    const { identifiers, error, lessons } = await run(url);
    expect(error).toBeUndefined();
    expect(identifiers).toEqual(idsOf(records));
    expect(lessons.get('windows')).toBe('refused');
  });

  test('because records without a date are in no window means the whole list once more', async () => {
    const records = dated(300);
    const hidden = new Set(['r7', 'r70', 'r170']);
    const { url } = await datedRepository(() => records, {
      list: ({ from, until, set, offset, answer, matching }) => {
        const inside =
          from === undefined && until === undefined ? matching : matching.filter(({ id }) => !hidden.has(id));
        if (inside.length === 0) return failure('noRecordsMatch');
        const end = offset + 10;
        return answer({
          page: inside.slice(offset, end),
          token: end < inside.length ? `${end}!${from ?? ''}!${until ?? ''}!${set ?? ''}` : '',
          attributes: ` completeListSize="${inside.length}" cursor="${offset}"`,
        });
      },
    });
    const { identifiers, lessons, problems } = await run(url);
    expect(identifiers).toEqual(idsOf(records));
    expect(lessons.get('windows')).toBe('lossy');
    expect(problems.map(({ code }) => code)).toEqual(['endpoint-quirk']);
  });
});
