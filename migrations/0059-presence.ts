import type { Knex } from 'knex';

/** What processes tell of themselves: that they live, what they are at, what they log; and counts of sources, day by day. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('process', (table) => {
    // <place>/<pid>/<random>, as of leases.
    table.text('holder').primary();
    table.text('role').notNullable();
    table.text('version').notNullable();
    table.text('started_at').notNullable();
    // By the clock of the database, in milliseconds, as all below.
    table.bigInteger('seen').notNullable();
    table.bigInteger('memory').notNullable();
    // The longest time that its event loop was held up since the last sign of life, in milliseconds.
    table.integer('held_up').notNullable();
  });
  await knex.schema.createTable('under_way', (table) => {
    table.text('holder').notNullable();
    table.integer('number').notNullable();
    table.primary(['holder', 'number']);
    table.text('kind').notNullable();
    // Empty: the installation. A set across sources has no source, either.
    table.text('source').notNullable();
    table.text('set_path');
    table.text('phase').notNullable();
    table.integer('run');
    table.bigInteger('done').notNullable();
    table.bigInteger('expected');
    // Of late.
    table.integer('per_minute');
    table.integer('requests');
    // What is asked for now: JSON.
    table.text('window');
    table.bigInteger('began').notNullable();
    table.bigInteger('seen').notNullable();
  });
  await knex.schema.createTable('log_line', (table) => {
    table.increments('id');
    table.text('at').notNullable();
    table.integer('level').notNullable();
    table.text('source');
    table.integer('run');
    // Role, process id and host.
    table.text('process').notNullable();
    table.text('message').notNullable();
    // All else: JSON.
    table.text('fields');
    table.index(['source', 'id']);
    table.index(['at']);
  });
  await knex.schema.createTable('series', (table) => {
    table.integer('source_id').notNullable();
    table.text('name').notNullable();
    table.text('day').notNullable();
    table.bigInteger('value').notNullable();
    table.primary(['source_id', 'name', 'day']);
  });
  // What was mended of a record before it was given up: JSON.
  await knex.schema.alterTable('unreadable', (table) => {
    table.text('repairs');
  });
}
