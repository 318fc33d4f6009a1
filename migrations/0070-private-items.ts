import type { Knex } from 'knex';

/** What of a public source is not for everybody: the items of some of its collections. */
export async function up(knex: Knex): Promise<void> {
  // By names, as `withdrawal`: a source that was removed and put back does not show them.
  await knex.schema.createTable('private_scope', (table) => {
    table.text('source').primary();
    // Collections, as a JSON array; empty: there are none any more, and items are still to be taken out of the other table.
    table.text('collections').notNullable();
    // When the configuration last hid something that was stored: Resource Lists of before name it.
    table.text('hidden_at');
    // When that was in the journal, and in new lists; none: it is still to be done.
    table.text('told_at');
  });
  await knex.schema.createTable('private_item', (table) => {
    table.text('source').notNullable();
    // As the repository calls it.
    table.text('identifier').notNullable();
    table.text('at').notNullable();
    table.primary(['source', 'identifier']);
  });
}
