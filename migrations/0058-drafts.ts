import type { Knex } from 'knex';

/** Sources that somebody is about to add; and what requests were answered with that may be sent twice. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('draft', (table) => {
    table.increments('id');
    table.text('address').notNullable();
    // JSON: what somebody chose, what was found, and what a trial brought.
    table.text('choices').notNullable();
    table.text('found');
    table.text('trial');
    table.text('state').notNullable();
    // Of what failed.
    table.text('code');
    table.text('message');
    // As it was kept.
    table.text('source');
    table.text('who').notNullable();
    table.text('at').notNullable();
    table.text('updated_at').notNullable();
    // A process works on it until then, or has died.
    table.text('busy_until');
  });
  await knex.schema.createTable('kept_answer', (table) => {
    table.text('who').notNullable();
    table.text('key').notNullable();
    // SHA-256 of the method, the address and the body.
    table.text('request').notNullable();
    // None: it is not answered yet.
    table.integer('status');
    table.text('location');
    table.text('body');
    table.text('at').notNullable().index();
    table.primary(['who', 'key']);
  });
}
