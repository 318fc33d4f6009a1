import type { Knex } from 'knex';

/** Links by which somebody without an account sees how one source is. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('share_link', (table) => {
    table.increments('id');
    // What is kept of the secret in the address.
    table.text('hash').notNullable().unique();
    table.text('source').notNullable();
    // Whom it was sent to.
    table.text('contact').notNullable();
    // The message that has it: sent again, its link takes the place of the one before.
    table.text('message').notNullable();
    table.text('created_at').notNullable();
    table.text('expires_at').notNullable();
    table.text('used_at');
    table.unique(['message', 'source']);
    table.index(['expires_at']);
  });
}
