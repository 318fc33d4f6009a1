import type { Knex } from 'knex';

/** Sources that the operator has removed, while their documents tell those who follow them. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('source', (table) => {
    // When everything of it was deleted; null: it is, or was, configured.
    table.text('removed_at');
  });
}
