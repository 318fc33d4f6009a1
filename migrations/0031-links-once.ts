import type { Knex } from 'knex';

/**
 * Links of many resources differ in their identifiers alone: what they have in common is kept once, and `links` begins
 * with `#` and its key. And what a version says of a representation is not said by its change as well: of a change that
 * says nothing of its `lastmod` (it is empty) the version has the facts, as of one whose `at` is empty `lastmod` is the time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('link_form', (table) => {
    // From the form itself: the same in every source and every database.
    table.text('id').notNullable();
    table.integer('source_id').notNullable();
    table.text('form').notNullable();
    table.primary(['id', 'source_id']);
  });
}
