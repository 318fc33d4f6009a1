import type { Knex } from 'knex';

/** An address is one resource in each source that has it: files that are only linked have the same in several. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('resource', (table) => {
    table.dropUnique(['path']);
    // The path first: it is also looked for without its source.
    table.unique(['path', 'source_id']);
  });
  await knex.schema.alterTable('withdrawal', (table) => {
    table.index(['path']);
  });
  // What was left out because another source had the address comes with the next harvest.
  await knex.raw(`update item set unsettled = 1 where id in (
    select item_file.item_id from item_file
    join resource on resource.path = item_file.url and resource.source_id <> item_file.source_id)`);
}
