import { expect, test } from 'vitest';
import { nextEdition, readEdition } from '../../../src/store/sources/edition.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('the edition of the configuration', (open) => {
  test('is another one each time, also for those who ask at the same moment', async () => {
    const { database } = open();
    expect(await readEdition(database.reader)).toBe(0);
    await Promise.all([
      nextEdition(database.writer),
      nextEdition(database.writer),
      nextEdition(database.writer),
    ]);
    expect(await readEdition(database.reader)).toBe(3);
  });
});
