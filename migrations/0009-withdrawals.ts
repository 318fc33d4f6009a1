import type { Knex } from 'knex';

/** What the operator has taken down, and keeps down whatever the repository delivers. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('resource', (table) => {
    // When the operator withdrew it. It is deleted, and nothing of its past is handed out.
    table.text('withdrawn_at');
  });
  await knex.raw(
    'create index resource_withdrawn on resource (source_id, withdrawn_at) where withdrawn_at is not null',
  );

  // By names, not by ids: a source that was removed and put back, or read into a new database, does not bring back
  // what was withdrawn from it.
  await knex.schema.createTable('withdrawal', (table) => {
    table.bigIncrements('id');
    table.text('source').notNullable();
    // Of the item, as the repository calls it.
    table.text('identifier').notNullable();
    // Of one resource of the item; empty: the whole item, with all that it will ever have.
    table.text('path').notNullable();
    table.text('kind');
    table.text('format');
    // Of a file: where it came from.
    table.text('upstream_url');
    table.text('reason');
    table.text('at').notNullable();
    table.unique(['source', 'identifier', 'path']);
  });
}
