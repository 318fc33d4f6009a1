import type { Knex } from 'knex';

/** What runs are compared by: how much was asked of the repository, and by which settings. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('run', (table) => {
    // Empty: nobody counted.
    table.bigInteger('requests');
  });
  // Of a source from this run on; JSON, without secrets.
  await knex.schema.createTable('run_settings', (table) => {
    table.integer('source_id').notNullable();
    table.bigInteger('run_id').notNullable();
    table.text('settings').notNullable();
    table.primary(['source_id', 'run_id']);
  });
}
