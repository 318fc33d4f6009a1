import { expect, test } from 'vitest';
import type { Problem } from '../../../src/core/adapter.ts';
import {
  countUnreadable,
  forgetItem,
  forgetUnmet,
  listUnreadable,
  storeUnreadable,
} from '../../../src/store/runs/unreadable.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const at = (hour: number) => `2026-11-21T${hour}:00:00Z`;
let names = 0;

function bad(identifier: string | undefined, more: Partial<Problem> = {}): Problem {
  return { code: 'record-quarantined', message: 'it is cut off', identifier, format: 'oai_dc', ...more };
}

describeOnBoth('records that could not be read', (open) => {
  let source: ToldSource;
  const begin = async () => {
    names += 1;
    source = await ToldSource.open(open().database, `unreadable-${names}`);
  };
  const meet = (run: number, problems: readonly Problem[], hour = 10) =>
    source.database.transaction((trx) =>
      storeUnreadable(trx, source.id, problems, [], { run: { id: run }, at: at(hour) }),
    );
  const read = (identifier: string, formats: readonly string[], files?: string) =>
    source.database.transaction((trx) =>
      storeUnreadable(
        trx,
        source.id,
        [],
        [{ identifier, speaksFor: { formats, files: files ? { name: files, rank: 1 } : undefined } }],
        { run: { id: 9 }, at: at(20) },
      ),
    );
  const all = (page: { after?: number; limit?: number; raw?: boolean; identifier?: string } = {}) =>
    listUnreadable(source.database.reader, source.id, { after: 0, limit: 100, ...page });
  const named = async () => (await all()).map(({ identifier, format }) => `${identifier} ${format}`);

  test('are known again, by name or by their bytes, and keep the time at which they were first met', async () => {
    await begin();
    const raw = (text: string) => ({ raw: { text, length: text.length } });
    const nameless = bad(undefined, raw('<x'));
    await meet(1, [
      bad('id:1', raw('<a')),
      nameless,
      bad(undefined, { message: 'no bytes' }),
      bad('id:2', { format: undefined, code: 'record-without-metadata' }),
      bad('id:3', { code: 'endpoint-quirk' }),
    ]);
    expect(await all({ raw: true })).toEqual([
      {
        id: expect.any(Number),
        identifier: 'id:1',
        format: 'oai_dc',
        code: 'record-quarantined',
        message: 'it is cut off',
        cause: 'it is cut off',
        runId: 1,
        firstSeenAt: at(10),
        lastSeenAt: at(10),
        rawLength: 2,
        raw: '<a',
      },
      expect.objectContaining({ identifier: undefined, rawLength: 2, raw: '<x' }),
      expect.objectContaining({ identifier: undefined, message: 'no bytes', rawLength: undefined }),
      expect.objectContaining({ identifier: 'id:2', format: undefined, code: 'record-without-metadata' }),
    ]);
    await meet(2, [nameless, bad('id:1', { ...raw('<abc'), message: 'm'.repeat(2000) })], 11);
    await meet(3, [bad(undefined, raw('<y')), bad(undefined, { message: 'other bytes' })], 12);
    const found = await all({ raw: true });
    expect(found).toHaveLength(6);
    expect(found[0]).toMatchObject({ runId: 2, firstSeenAt: at(10), lastSeenAt: at(11), raw: '<abc' });
    expect(found[0]?.message).toHaveLength(1000);
    expect(found[1]).toMatchObject({ runId: 2, firstSeenAt: at(10), lastSeenAt: at(11), raw: '<x' });
    expect(await countUnreadable(source.database.reader, source.id)).toBe(6);
    expect(await countUnreadable(source.database.reader, source.id + 1000)).toBe(0);
    expect((await all({ after: found[0]?.id ?? 0, limit: 1 })).map(({ id }) => id)).toEqual([found[1]?.id]);
    const [one] = await all({ identifier: 'id:2' });
    expect(one).toMatchObject({ identifier: 'id:2' });
    expect(one).not.toHaveProperty('raw');
  });

  test('are forgotten as soon as what speaks for them was read', async () => {
    await begin();
    await meet(1, [
      bad('id:1'),
      bad('id:1', { format: 'mods' }),
      bad('id:1', { format: undefined }),
      bad('id:1', { format: 'mets' }),
      bad('id:2'),
      bad(undefined),
    ]);
    await read('id:3', ['oai_dc']);
    expect(await named()).toHaveLength(6);
    await read('id:1', ['oai_dc']);
    expect(await named()).toEqual(['id:1 mods', 'id:1 mets', 'id:2 oai_dc', 'undefined oai_dc']);
    await read('id:1', ['ese'], 'mets');
    expect(await named()).toEqual(['id:1 mods', 'id:2 oai_dc', 'undefined oai_dc']);
    expect(await forgetItem(source.database.writer, source.id, 'id:1')).toBe(1);
    expect(await named()).toEqual(['id:2 oai_dc', 'undefined oai_dc']);
  });

  test('are forgotten after a pass that did not meet them, unless they may be in a part that it could not read', async () => {
    await begin();
    const { database, id } = source;
    const pass = (run: number) => database.transaction((trx) => forgetUnmet(trx, id, run));
    const doubt = (run: number, format: string | null) =>
      database.writer('unread_part').insert({ source_id: id, run_id: run, format });
    await meet(1, [bad('id:1'), bad('id:2', { format: 'mods' }), bad('id:3', { format: undefined })]);
    await meet(3, [bad('id:4')]);
    await doubt(2, null);
    await pass(2);
    expect(await named()).toHaveLength(4);
    await doubt(3, 'oai_dc');
    await pass(3);
    expect(await named()).toEqual(['id:1 oai_dc', 'id:3 undefined', 'id:4 oai_dc']);
    await pass(4);
    expect(await named()).toEqual([]);
  });

  test('are kept with their bytes a thousand times, of more the cause alone is kept', async () => {
    await begin();
    const raw = { text: '<', length: 1 };
    await meet(
      1,
      Array.from({ length: 999 }, (_, index) => bad(`id:${index}`, { raw })),
    );
    await meet(1, [bad('id:a', { raw }), bad('id:b', { raw })]);
    const found = await all({ after: 0, limit: 2000, raw: true });
    expect(found).toHaveLength(1001);
    expect(found.filter((one) => one.raw !== undefined)).toHaveLength(1000);
    expect(found.at(-1)).toMatchObject({ identifier: 'id:b', rawLength: undefined });
  });
});
