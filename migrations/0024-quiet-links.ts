import type { Knex } from 'knex';

/** What became known of a resource without a change of it. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('resource', (table) => {
    // 1: its links and facts say more than its last change did.
    table.integer('learnt').notNullable().defaultTo(0);
  });
  await knex.schema.alterTable('item', (table) => {
    // 1: its repository names other files than before, and not all of its records have followed yet.
    table.integer('restated').notNullable().defaultTo(0);
  });
}
