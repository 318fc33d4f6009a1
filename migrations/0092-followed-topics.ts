import type { Knex } from 'knex';

/** Where Sources that are followed tell of their changes by WebSub, and how far each subscription is. Times are milliseconds by the clock of the database. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('followed_topic', (table) => {
    // The last part of the callback's address, which nobody can guess.
    table.text('key').primary();
    table.text('source').notNullable();
    table.text('topic').notNullable();
    table.text('hub').notNullable();
    // With which the hub signs; none: it may not be sent in clear.
    table.text('secret');
    // wanted, asked, active, ending
    table.text('state').notNullable();
    table.text('reason');
    table.bigInteger('lease_until');
    // When something is to be done about it.
    table.bigInteger('due_at').notNullable();
    table.integer('attempts').notNullable().defaultTo(0);
    // What has been told up to here (ISO), when, and how often.
    table.text('until_at');
    table.bigInteger('received_at');
    table.bigInteger('received').notNullable().defaultTo(0);
    table.unique(['source', 'topic']);
    table.index(['due_at']);
  });
  // When it is looked again whether a Source tells of its changes.
  await knex.schema.createTable('followed_source', (table) => {
    table.text('source').primary();
    // Its address: another one is looked at anew.
    table.text('url').notNullable();
    table.bigInteger('look_at').notNullable();
    table.text('reason');
  });
}
