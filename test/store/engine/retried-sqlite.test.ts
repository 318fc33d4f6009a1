import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/engine/database.ts';

it('on SQLite a transaction that read before another process wrote begins anew, and does not fail', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-retried-'));
  const file = join(directory, 'rsbridge.db');
  const [one, other] = [1, 2].map(() => openDatabase({ client: 'sqlite', file }));
  if (!one || !other) throw new Error('no database');
  try {
    await one.writer.schema.createTable('counted', (table) => table.integer('value').notNullable());
    await one.writer('counted').insert({ value: 1 });
    let turns = 0;
    await one.transaction(async (trx) => {
      turns += 1;
      const { value } = await trx('counted').first('value');
      if (turns === 1) await other.transaction((third) => third('counted').update({ value: 10 }));
      await trx('counted').update({ value: value + 1 });
    });
    expect([turns, await one.reader('counted').first('value')]).toEqual([2, { value: 11 }]);
  } finally {
    await Promise.all([one.close(), other.close()]);
    rmSync(directory, { recursive: true, force: true });
  }
});
