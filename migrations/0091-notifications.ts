import type { Knex } from 'knex';

/** What other services told us of items by COAR Notify. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('notification', (table) => {
    table.increments('number');
    // Its own, by which it is known however often it comes.
    table.text('id').notNullable().unique();
    // The name in the configuration of the service that sent it.
    table.text('partner').notNullable();
    table.text('pattern').notNullable();
    table.text('at').notNullable();
    // As it came; its hash tells whether it comes again with other words.
    table.text('content').notNullable();
    table.text('hash').notNullable();
    // What came of it: `received` until that is known.
    table.text('outcome').notNullable();
    // The item that it is about, and the number under which this is read again.
    table.text('source');
    table.text('item');
    table.integer('asked');
    table.index(['partner', 'at']);
  });
}
