import type { Knex } from 'knex';

/** Counted up where every process at the database is to look at something again: who remembers another number does. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('edition', (table) => {
    table.text('what').primary();
    table.bigInteger('number').notNullable();
  });
}
