import { expect, test } from 'vitest';
import { advanceJournal, readJournal } from '../../../src/store/sources/journal.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('advanceJournal', (open) => {
  test('draws a line behind which nothing can be dated any more', async () => {
    const { database } = open();
    await ensureSource(database, 'repo', '2026-11-21T10:00:00Z');
    expect(await advanceJournal(database, 'repo', '2026-11-21T11:00:00Z')).toMatchObject({
      at: '2026-11-21T11:00:00Z',
      seq: 0,
    });
    // A clock that was set back moves nothing.
    expect(await advanceJournal(database, 'repo', '2026-11-21T09:00:00Z')).toMatchObject({
      at: '2026-11-21T11:00:00Z',
    });
    expect((await readJournal(database.reader, 'repo'))?.at).toBe('2026-11-21T11:00:00Z');
    expect(await readJournal(database.reader, 'unknown')).toBeUndefined();
  });

  test('waits for a page that is being stored', async () => {
    const { database } = open();
    await ensureSource(database, 'busy', '2026-11-21T10:00:00Z');
    let committed = false;
    let advanced: Promise<unknown> | undefined;
    await database.transaction(async (trx) => {
      await trx('source')
        .where({ name: 'busy' })
        .update({ journal_seq: 7, journal_at: '2026-11-21T10:30:00Z' });
      advanced = advanceJournal(database, 'busy', '2026-11-21T11:00:00Z').then((state) => {
        expect(committed).toBe(true);
        expect(state).toMatchObject({ seq: 7, at: '2026-11-21T11:00:00Z' });
      });
      await new Promise((resolve) => setImmediate(resolve));
      committed = true;
    });
    await advanced;
  });
});
