import type { Knex } from 'knex';

/** What processes that ask repositories know of one another: who they are, what rests, and who may ask where. Small. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('asker', (table) => {
    table.text('holder').primary();
    // Times here are milliseconds since the epoch, by the clock of the database.
    table.bigInteger('expires').notNullable();
    // 0: it asks without slots, as long as it is alone.
    table.integer('shares').notNullable();
  });
  await knex.schema.createTable('host', (table) => {
    table.text('name').primary();
    table.bigInteger('rest_until').notNullable();
    table.text('reason');
    table.bigInteger('wanted_until').notNullable();
    table.text('wanted_by');
  });
  await knex.schema.createTable('host_slot', (table) => {
    table.text('host').notNullable();
    table.integer('n').notNullable();
    table.text('holder').notNullable();
    table.bigInteger('expires').notNullable();
    table.primary(['host', 'n']);
    table.index(['holder']);
  });
}
