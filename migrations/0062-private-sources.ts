import type { Knex } from 'knex';

/** What is not for everybody, and by which tokens it is had. */
export async function up(knex: Knex): Promise<void> {
  // By name: it is known before the first harvest, and after the source has left the configuration.
  await knex.schema.createTable('private_source', (table) => {
    table.text('name').primary();
  });
  await knex.schema.alterTable('api_token', (table) => {
    // As JSON, of a token for content: SOURCE, or SOURCE/SET.
    table.text('sets');
  });
}
