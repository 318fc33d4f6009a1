import type { Knex } from 'knex';

/** Of a file, what only a Source of ResourceSync states: where it comes from itself, and when it last changed. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('item_file', (table) => {
    table.text('via');
    table.text('last_modified');
  });
}
