import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CopyDatabase } from '../../src/sync/state/copy-database.ts';
import type { SyncReport } from '../../src/sync/sync-report.ts';
import { ChangingSource } from '../house/sync/changing-source.ts';
import { Copy } from '../house/sync/copy.ts';

let source: ChangingSource;
let copy: Copy;

beforeEach(async () => {
  source = await ChangingSource.open();
  copy = new Copy(source);
  source.put('/a', 'A');
  source.list();
});
afterEach(async () => {
  copy.end();
  await source.close();
});

const pauses = { shortestMs: 1_000, longestMs: 10_000 };

describe('a watch', () => {
  it('follows at the pace of the Source, with the copy to itself, until it is stopped', async () => {
    const stop = new AbortController();
    const reports: SyncReport[] = [];
    const slept: number[] = [];
    const steps = [
      () => source.put('/b', 'B'),
      () => undefined,
      () => undefined,
      () => source.remove('/a'),
      () => stop.abort(),
    ];
    const last = await copy.watch({
      pauses,
      stop: stop.signal,
      onReport: (report) => reports.push(report),
      onFailure: (error) => {
        throw error;
      },
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
        expect(() => CopyDatabase.open(copy.directory)).toThrow(/is being synchronised by process \d+/);
        steps.shift()?.();
      },
    });
    expect(slept).toEqual([1_000, 1_000, 1_500, 2_250, 1_125]);
    expect(reports.map(({ copied }) => copied.created + copied.deleted)).toEqual([1, 1, 0, 0, 1]);
    expect(last?.isComplete).toBe(true);
    expect(copy.contents()).toEqual({ b: 'B' });
  });

  it('goes on where the Source does not answer for a while', async () => {
    const stop = new AbortController();
    const failures: string[] = [];
    const slept: number[] = [];
    await copy.watch({
      pauses,
      stop: stop.signal,
      onReport: () => undefined,
      onFailure: (error) => failures.push(error.code),
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
        if (slept.length === 1) source.rewrite = () => '<html/>';
        if (slept.length === 2) source.rewrite = (_, text) => text;
        source.put(`/${slept.length}`, 'more');
        if (slept.length === 3) stop.abort();
      },
    });
    expect(failures).toHaveLength(1);
    expect(slept).toEqual([1_000, 2_000, 1_000]);
    expect(Object.keys(copy.contents())).toEqual(['1', '2', 'a']);
  });

  it('that cannot even begin says why', async () => {
    source.rewrite = () => '<html/>';
    const nothing = () => undefined;
    const deps = { pauses, onReport: nothing, onFailure: nothing, sleep: async () => undefined };
    await expect(copy.watch(deps)).rejects.toMatchObject({ code: 'upstream-protocol' });
  });
});
