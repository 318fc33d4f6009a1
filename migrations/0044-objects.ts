import type { Knex } from 'knex';

/** What is in the object storage, or about to be, and nothing refers to: whatever a crash leaves there is found by it. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('doomed_object', (table) => {
    table.text('key').primary();
    // It is deleted then.
    table.text('due_at').notNullable().index();
  });
}
