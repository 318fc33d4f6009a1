import type { Knex } from 'knex';

/** Sets that are configured here, as sets of OAI-PMH: how far the records of a source have been put in order by them. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oai_own_set', (table) => {
    table.integer('source_id').primary();
    // What they are, as JSON; other ones put everything in order anew.
    table.text('definition').notNullable();
    // Of the source's journal.
    table.bigInteger('seq').notNullable();
  });
}
