import type { Knex } from 'knex';

/** What alerts are about, and what is still to be sent. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('source', (table) => {
    // Of any harvest of it; empty: none since this was written down.
    table.text('last_success_at');
  });
  await knex.schema.alterTable('due', (table) => {
    // Since when it is planned, in milliseconds.
    table.bigInteger('planned_at');
  });
  // What is wrong, and how far that has been told. What is well has no row, unless it was not for long.
  await knex.schema.createTable('alert_state', (table) => {
    table.text('kind').notNullable();
    // A source, a set, a place on the disk; empty: the installation.
    table.text('subject').notNullable();
    table.text('state').notNullable();
    table.primary(['kind', 'subject']);
  });
  // Since when a source is watched: not while it is paused, and anew after nobody watched for a while.
  await knex.schema.createTable('alert_watch', (table) => {
    table.text('source').primary();
    table.bigInteger('since').notNullable();
    // Of records that could not be read: how many there were, are, and since when.
    table.text('records');
  });
  await knex.schema.createTable('alert_message', (table) => {
    // What receivers know it by, however often it is sent.
    table.text('id').primary();
    table.text('channel').notNullable();
    table.text('content').notNullable();
    // Times here are milliseconds by the clock of the database.
    table.bigInteger('created_at').notNullable();
    // When it is tried next; none: it is over.
    table.bigInteger('due_at');
    table.integer('attempts').notNullable().defaultTo(0);
    table.text('reason');
    // The process that sends it, as long as it says so in time.
    table.text('holder');
    table.bigInteger('expires');
    table.bigInteger('sent_at');
    table.index(['due_at']);
    table.index(['created_at']);
  });
  await knex.schema.createTable('alert_count', (table) => {
    table.text('channel').notNullable();
    table.text('outcome').notNullable();
    table.bigInteger('count').notNullable();
    table.primary(['channel', 'outcome']);
  });
  // A few things that are known of the installation, each with its moment.
  await knex.schema.createTable('installation_fact', (table) => {
    table.text('name').primary();
    table.text('value').notNullable();
    table.bigInteger('at').notNullable();
  });
}
