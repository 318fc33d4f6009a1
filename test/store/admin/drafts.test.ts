import { beforeEach, expect, test } from 'vitest';
import {
  addDraft,
  changeDraft,
  findDraft,
  listDrafts,
  removeDraft,
} from '../../../src/store/admin/drafts.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = '2026-11-23T10:00:00Z';
const draft = { address: 'https://repo.example.org/', choices: { group: 'universities' }, who: 'admin' };

describeOnBoth('a source that is about to be added', (open) => {
  beforeEach(() => open().database.writer('draft').delete());

  test('is written down step by step, and what failed before is not told any more', async () => {
    const { database } = open();
    const id = await addDraft(database, draft, at);
    expect(await findDraft(database.reader, id)).toMatchObject({ ...draft, id, state: 'waiting', at });
    const failed = { state: 'failed', code: 'usage', message: 'x'.repeat(5000) } as const;
    expect(await changeDraft(database, id, failed, at)).toBe(true);
    expect((await findDraft(database.reader, id))?.message).toHaveLength(4000);
    const trial = {
      ...{ choices: { name: 'a' }, records: 1, problems: [], problemCount: 0 },
      items: [{ identifier: 'a\u0000\u202e雪', deleted: false, formats: ['oai_dc'], files: 0 }],
    };
    await changeDraft(database, id, { state: 'tried', trial, busyUntil: at }, at);
    expect(await findDraft(database.reader, id)).toMatchObject({
      ...{ state: 'tried', trial, code: undefined, message: undefined, busyUntil: at },
    });
    expect(await changeDraft(database, id, { state: 'trying' }, at, ['found'])).toBe(false);
    expect(await changeDraft(database, id + 1, { state: 'trying' }, at)).toBe(false);
    expect((await findDraft(database.reader, id))?.state).toBe('tried');
    expect(await listDrafts(database.reader, 5)).toMatchObject([{ id, state: 'tried', trial: undefined }]);
    expect([await removeDraft(database, id), await removeDraft(database, id)]).toEqual([true, false]);
  });

  test('goes after thirty days, or when two hundred have come since', async () => {
    const { database } = open();
    const old = await addDraft(database, draft, '2026-10-01T00:00:00Z');
    const first = await addDraft(database, draft, at);
    expect(await findDraft(database.reader, old)).toBeUndefined();
    const rows = Array.from({ length: 199 }, () => ({
      ...{ address: 'x', choices: '{}', state: 'waiting', who: 'admin', at, updated_at: at },
    }));
    await database.writer.batchInsert('draft', rows, 50);
    expect(await findDraft(database.reader, first)).toBeDefined();
    await addDraft(database, draft, at);
    expect(await findDraft(database.reader, first)).toBeUndefined();
    expect(await listDrafts(database.reader, 500)).toHaveLength(200);
  });
});
