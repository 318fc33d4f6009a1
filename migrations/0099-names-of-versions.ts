import type { Knex } from 'knex';

/** What an earlier version was called while it was an item of its own: what is withdrawn of that item is withdrawn here, too. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('prior_version', (table) => {
    table.text('identifier');
  });
}
