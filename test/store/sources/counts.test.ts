import { expect, test } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { sourceIdOf } from '../../../src/store/rows/one-source.ts';
import { endRun, type RunMode, type RunState, startRun } from '../../../src/store/runs/runs.ts';
import { latestDifference, listCounts } from '../../../src/store/sources/counts.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

interface Ended {
  readonly mode?: RunMode;
  readonly state?: RunState;
  readonly items?: number;
  readonly stated?: number;
  /** Of the source. */
  readonly known?: number;
}

describeOnBoth('counts over time', (open) => {
  async function source(name: string) {
    const { database } = open();
    await ensureSource(database, name, '2020-01-01T00:00:00Z');
    const id = (await sourceIdOf(database.reader, name)) ?? 0;
    return { database, id, end: (at: string, run: Ended) => endOne(database, id, at, run) };
  }

  async function endOne(database: Database, id: number, at: string, run: Ended): Promise<void> {
    const { mode = 'full', state = 'succeeded', items = 0, stated, known = 0 } = run;
    const begun = { sourceId: id, mode, selection: '{}', since: undefined, startedAt: at };
    const { id: runId } = await startRun(database.writer, begun);
    await database
      .writer('run')
      .where({ id: runId })
      .update({ items, stated_total: stated ?? null });
    await database.writer('source').where({ id }).update({ item_count: known });
    await database.transaction((trx) => endRun(trx, runId, { state, at }));
  }

  test('are those of the last run of a day; records, and the own count, those of a run over everything that ended', async () => {
    const { database, id, end } = await source('kyoto');
    await end('2026-11-20T01:00:00Z', { items: 9, stated: 12, known: 9 });
    await end('2026-11-20T23:59:59Z', { mode: 'incremental', items: 2, known: 11 });
    await end('2026-11-21T00:00:00Z', { state: 'interrupted', items: 5, stated: 12, known: 12 });
    await end('2026-11-22T10:00:00Z', { state: 'needs-attention', items: 12, stated: 12, known: 13 });
    const counts = await listCounts(database.reader, id);
    expect(counts).toEqual([
      { day: '2026-11-20', items: 11, records: 9, stated: 12 },
      { day: '2026-11-21', items: 12 },
      { day: '2026-11-22', items: 13, records: 12, stated: 12 },
    ]);
    expect(await listCounts(database.reader, id, '2026-11-22')).toEqual(counts.slice(2));
    expect(latestDifference(counts)).toMatchObject({ day: '2026-11-22', difference: 0 });
    expect(latestDifference(counts.slice(0, 2))).toEqual({
      ...{ day: '2026-11-20', records: 9, stated: 12, difference: -3 },
    });
    // An own count of the morning says nothing about the records of the evening.
    await end('2026-11-22T20:00:00Z', { items: 14, known: 14 });
    const after = await listCounts(database.reader, id);
    expect(after.at(-1)).toEqual({ day: '2026-11-22', items: 14, records: 14 });
    expect(latestDifference(after)?.day).toBe('2026-11-20');
    expect(latestDifference([])).toBeUndefined();
  });

  test('of long ago are thinned to one a week, and end after five years; those of others stay', async () => {
    const { database, id, end } = await source('nara');
    const other = await source('osaka');
    const day = (number: number) =>
      new Date(Date.parse('2026-11-23') - number * 86_400_000).toISOString().slice(0, 10);
    const rows = Array.from({ length: 6 * 365 }, (_, index) =>
      [id, other.id].map((source_id) => ({ source_id, name: 'items', day: day(index + 1), value: index })),
    ).flat();
    for (let from = 0; from < rows.length; from += 200)
      await database.writer('series').insert(rows.slice(from, from + 200));
    await end(`${day(0)}T10:00:00Z`, { known: 7 });
    const days = (await listCounts(database.reader, id)).map((one) => one.day);
    const recent = Array.from({ length: 91 }, (_, index) => day(90 - index));
    expect(days.slice(-91)).toEqual(recent);
    const old = days.slice(0, -91);
    // Sundays, and the last day before the ninety, whose week goes on behind it.
    expect(old.slice(0, -1).filter((one) => new Date(one).getUTCDay() !== 0)).toEqual([]);
    expect(old.length).toBeGreaterThan(4.7 * 52);
    expect(days[0] ?? '').toMatch(/^2021-11-2[48]$/);
    const before = days.length;
    await end(`${day(0)}T11:00:00Z`, { known: 8 });
    expect(await listCounts(database.reader, id)).toHaveLength(before);
    expect(await listCounts(database.reader, other.id)).toHaveLength(6 * 365);
  });
});
