import type { Knex } from 'knex';

/** What items were before we knew them, as far as their upstream remembers it. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('prior_version', (table) => {
    table.bigInteger('item_id').notNullable();
    // The upstream's own count.
    table.integer('number').notNullable();
    // From when on it was the current one.
    table.text('at').notNullable();
    table.text('upstream_url');
    table.primary(['item_id', 'number']);
  });

  // Metadata with its bytes in `blob`, by `hash`; files where the upstream keeps them, or as it states them.
  await knex.schema.createTable('prior_representation', (table) => {
    table.bigInteger('item_id').notNullable();
    table.integer('number').notNullable();
    table.text('kind').notNullable();
    // Metadata: the format. Files: `file`.
    table.text('format').notNullable();
    // Files: position among the files of that version, from 1; metadata: 0.
    table.integer('sequence').notNullable();
    table.text('name');
    table.text('media_type');
    table.bigInteger('length');
    table.text('hash');
    table.text('profile');
    table.text('upstream_url');
    table.primary(['item_id', 'number', 'kind', 'format', 'sequence']);
  });
}
