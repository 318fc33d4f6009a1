import { expect, test } from 'vitest';
import { DueRunner } from '../../../src/bridge/work/due-runner.ts';
import { askFor } from '../../../src/store/runs/due.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const hour = 3_600_000;
const start = Date.parse('2026-11-26T12:00:00Z');

describeOnBoth('a process whose clock is set back', (open) => {
  test('plans anew what was planned by it, and not for seconds', async () => {
    const { database } = open();
    const clock = { steady: 1000, ahead: 720 * hour };
    const warned: unknown[] = [];
    const runner = new DueRunner({
      ...{ database, holder: 'one', places: 1, chance: () => 0 },
      log: { debug: () => {}, info: () => {}, warn: (fields) => warned.push(fields), error: () => {} },
      now: async () => start + clock.steady + clock.ahead,
      steady: () => clock.steady,
      perform: async () => 'done',
    });
    const after = (moment: number) => (Math.floor(moment / hour) + 1) * hour;
    const schedule = { place: 0, atMostMs: 0, after };
    const plan = { kind: 'harvest', schedule, text: 'hourly' } as const;
    runner.follow(['kyoto', 'nara'].map((source) => ({ ...plan, source })));
    const dueOf = async (source: string) =>
      (await database.reader('due').where({ source }).first('due_at')).due_at;
    await runner.look();
    const ahead = start + 721 * hour;
    expect(await dueOf('kyoto')).toBe(ahead);

    clock.steady += 1000;
    clock.ahead -= 20_000;
    await runner.look();
    expect([await dueOf('kyoto'), warned]).toEqual([ahead, []]);

    // Others wait for what was asked for by that clock.
    await askFor(database, { sources: ['nara'], kind: 'harvest' }, start + clock.ahead + 2 * hour);
    await database
      .writer('due')
      .where({ source: 'nara' })
      .update({ holder: 'two', expires: start + hour });
    clock.steady += 1000;
    clock.ahead = 0;
    await runner.look();
    expect(await dueOf('kyoto')).toBe(start + hour);
    expect(await dueOf('nara')).toBe(start + clock.steady);
    expect(warned).toHaveLength(1);
    await runner.stop();
  });
});
