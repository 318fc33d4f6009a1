import type { Knex } from 'knex';

/** Sources that are configured in the database, beside those of files; and which of all are left alone for a while. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('kept_source', (table) => {
    table.text('name').primary();
    // As somebody gave them, without the settings of a group and without defaults: JSON.
    table.text('settings').notNullable();
    table.text('updated_at').notNullable();
  });
  await knex.schema.createTable('pause', (table) => {
    table.text('source').primary();
    table.text('since').notNullable();
    // Unlimited where there is none.
    table.text('until');
    table.text('reason');
  });
}
