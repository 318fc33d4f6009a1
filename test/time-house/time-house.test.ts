import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../house/runs.ts';
import { describeOnBoth } from '../house/store/databases.ts';
import { TimeHouse } from '../house/time-house/house.ts';
import { TimePromise } from '../house/time-house/promise.ts';
import { remembered } from '../house/time-house/remembered.ts';
import { type History, history, type Step } from '../house/time-house/step.ts';

/** Of the same seed, the same histories. */
const seed = Number(process.env.TIME_SEED ?? 20_261_121);
const histories = Number(process.env.TIME_HISTORIES ?? runs(2, 4));

async function take(house: TimeHouse, promise: TimePromise, step: Step): Promise<void> {
  switch (step.kind) {
    case 'wait':
      return house.wait(step.seconds);
    case 'put':
      return house.put(step.put);
    case 'delete':
      return house.delete(step.record, step.told);
    case 'harvest':
      return house.harvest(step.mode, step.pageSeconds);
    case 'copy':
      return house.copy(step.record, step.content, step.dated);
    case 'tidy':
      return house.tidy();
    case 'look':
      return promise.look();
    case 'publish': {
      const resourceList = step.what === 'all' ? 'always' : 'if-missing';
      const sets = await house.publish({ resourceList, close: step.what === 'close' });
      if (step.what === 'all') await promise.expectCurrent(sets);
    }
  }
}

describeOnBoth('the past', (open) => {
  it(
    `is the same whoever tells of it: TimeGates, TimeMaps, Resource Lists in time, Change Lists, exports (seed ${seed})`,
    async () => {
      let moments = 0;
      const live = async ({ rounds, ...given }: History): Promise<void> => {
        const house = await TimeHouse.open(open().database, given);
        try {
          const promise = new TimePromise(house);
          for (const step of rounds.flat()) await take(house, promise, step);
          house.passAll();
          await house.harvest('incremental', 0);
          await house.tidy();
          house.passAll();
          const published = await house.publish({ resourceList: 'if-missing' });
          moments += await promise.expectAll(published, given.exported);
        } finally {
          await house.close();
        }
      };
      await fc.assert(fc.asyncProperty(history, live), { seed, numRuns: histories, examples: remembered });
      expect(moments).toBeGreaterThan(histories);
    },
    180_000 + histories * 30_000,
  );
});
