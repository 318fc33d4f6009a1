import type { Knex } from 'knex';

/** What each set publishes, where its documents or packages are in an object storage: for the processes of all machines. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('published_pointer', (table) => {
    // Of the set; empty: the site's.
    table.text('path').primary();
    // One more with each switch.
    table.bigInteger('number').notNullable();
    table.text('pointer').notNullable();
    // Of its copy in the bucket.
    table.text('etag');
  });
  await knex.schema.createTable('publication_trouble', (table) => {
    // Of a set that could not be published the last time, for the object storage.
    table.text('path').primary();
    table.text('code').notNullable();
    table.text('message').notNullable();
    table.text('at').notNullable();
  });
}
