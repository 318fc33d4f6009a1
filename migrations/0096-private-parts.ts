import type { Knex } from 'knex';

/**
 * Which source is, or was, a private set of which other one: what is withdrawn in one of them is withdrawn in both, also when the set
 * is private no more, or again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('private_part', (table) => {
    table.text('part').primary();
    table.text('source').notNullable();
  });
}
