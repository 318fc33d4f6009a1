import { expect, test } from 'vitest';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('statements that follow one another', (open) => {
  test('leave a turn to whoever waits for a timer', async () => {
    const { database } = open();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    for (let statement = 0; turns < 3 && statement < 20_000; statement += 1) {
      await database.reader('source').select('id');
    }
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });

  test('do so within a transaction, too', async () => {
    const { database } = open();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await database.transaction(async (trx) => {
      for (let statement = 0; turns < 3 && statement < 20_000; statement += 1) {
        await trx('source').select('id');
      }
    });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });
});
