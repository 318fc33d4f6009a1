import { expect, test } from 'vitest';
import { insertRows } from '../../../src/store/engine/bulk.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { recordVanished } from '../../../src/store/runs/vanished.ts';
import { copySource } from '../../../src/store/sources/source-copy.ts';
import { describeOnBoth, migratedSqlite } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const { signal } = new AbortController();

describeOnBoth('a copy of a source, to try a harvest in', (open) => {
  test('has all that a harvest decides by, of that source alone, and nobody at work', async () => {
    const { database } = open();
    const source = await ToldSource.open(database, 'kyoto');
    const other = await ToldSource.open(database, 'nara');
    await other.tell({ 1: { files: ['https://x.example.org/other'] } });
    const items = Array.from({ length: 1100 }, (_, at) => [`${at}`, { collections: [`c${at % 3}`] }]);
    await source.tell(Object.fromEntries(items));
    const doubt = { code: 'list-doubtful', message: 'm', identifier: undefined, format: 'x' } as const;
    await recordVanished(
      database,
      source.lease,
      await source.tell({ 0: {} }, 'full', [doubt]),
      source.moment(),
    );
    await source.tell({ 9: { files: ['https://x.example.org/own'] } });
    const forms = ['-7QHCVrN', '0', ...Array.from({ length: 1000 }, (_, at) => `form${at}`)];
    await database.transaction(async (trx) => {
      await insertRows(
        trx,
        'link_form',
        forms.map((id) => ({ id, source_id: source.id, form: '[]' })),
      );
    });
    const own = migratedSqlite();
    const copy = openDatabase(own.config);
    try {
      await copySource(database, copy, 'nowhere', signal);
      expect(await copy.reader('source')).toEqual([]);
      await expect(copySource(database, copy, 'kyoto', AbortSignal.abort())).rejects.toThrow('abort');
      await copy.writer('source').delete();
      await copySource(database, copy, 'kyoto', signal);
      const [row] = await copy.reader('source');
      expect(row).toMatchObject({
        id: source.id,
        name: 'kyoto',
        harvest_holder: null,
        harvest_expires: null,
      });
      const ofItems = ['item_collection', 'item_file'];
      const ofSource = ['item', 'resource', 'link_form', 'collection', 'vanished', 'unread_part', 'run'];
      for (const table of [...ofSource, ...ofItems]) {
        const [there] = await copy.reader(table).count({ count: '*' });
        const query = ofItems.includes(table)
          ? database
              .reader(table)
              .whereIn('item_id', database.reader('item').select('id').where('source_id', source.id))
          : database.reader(table).where({ source_id: source.id });
        const [here] = await query.count({ count: '*' });
        expect([table, Number(there?.count)]).toEqual([table, Number(here?.count)]);
        expect(Number(there?.count)).toBeGreaterThan(0);
      }
      for (const table of ['change', 'version', 'blob', 'moment'])
        expect([table, await copy.reader(table)]).toEqual([table, []]);
      // The same harvest there meets the same.
      const tried = new ToldSource(copy, 'kyoto', source.lease, source.now);
      await copy.writer('source').update({ harvest_holder: source.lease.holder });
      expect(await tried.living()).toEqual(await source.living());
    } finally {
      await copy.close();
      await own.drop();
    }
  });
});
