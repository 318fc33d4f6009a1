import type { Knex } from 'knex';

/** What records that could not be read have in common with others: by which they are grouped, listed and read again. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('unreadable', (table) => {
    table.text('cause');
  });
}

const rowsAtATime = 500;

/** Of those of before; whoever meets one again says it better. */
export async function fill(trx: Knex.Transaction, after = '0'): Promise<string | undefined> {
  const rows: { id: number | string }[] = await trx('unreadable')
    .select('id')
    .where('id', '>', Number(after))
    .orderBy('id')
    .limit(rowsAtATime);
  const ids = rows.map(({ id }) => Number(id));
  await trx('unreadable')
    .whereIn('id', ids)
    .whereNull('cause')
    .update({ cause: trx.raw("substr(replace(message, coalesce(identifier, ''), '…'), 1, 500)") });
  return ids.length < rowsAtATime ? undefined : String(ids.at(-1));
}
