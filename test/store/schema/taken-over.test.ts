import { expect, test } from 'vitest';
import { listVanished } from '../../../src/store/runs/vanished.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('a database of before', (open) => {
  test('has what waits for a person on the list of what vanished', async () => {
    const { database } = open();
    const at = '2026-11-20T00:00:00Z';
    const sourceId = 4711;
    await database.transaction(async (trx) => {
      await trx('schema_migration').where({ name: '0014-vanished' }).delete();
      await trx.schema.dropTable('vanished');
      await trx.schema.dropTable('unread_part');
      await trx('source').insert({ id: sourceId, name: 'of-before', journal_at: at });
      const [item] = await trx('item')
        .insert({ source_id: sourceId, identifier: 'id:1', datestamp: at })
        .returning('id');
      const run = { source_id: sourceId, selection: '{}', started_at: at, updated_at: at, ended_at: at };
      const [pass] = await trx('run')
        .insert({ ...run, mode: 'full', state: 'needs-attention', error_code: 'deletions-refused' })
        .returning('id');
      await trx('run').insert({ ...run, mode: 'incremental', state: 'succeeded' });
      const resource = { source_id: sourceId, item_id: item.id, kind: 'metadata', lastmod: at, links: '[]' };
      const rows = { oai_dc: pass.id - 1, mods: pass.id };
      for (const [format, seen] of Object.entries(rows))
        await trx('resource').insert({
          ...resource,
          ...{
            path: `of-before/items/1/${format}.xml`,
            format,
            seen_run: seen,
            last_seq: 1,
            version_count: 1,
          },
        });
    });
    await migrate(database);
    expect(await listVanished(database.reader, sourceId, 0, 10)).toEqual([
      expect.objectContaining({ identifier: 'id:1', formats: ['oai_dc'], pass: 'full', since: at, at }),
    ]);
  });
});
