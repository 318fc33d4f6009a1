import type { Knex } from 'knex';

/** What an answer said of itself, and how many are kept of whom. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('kept_answer', (table) => {
    table.text('etag');
    table.text('media_type');
    table.index(['who', 'at']);
  });
}
