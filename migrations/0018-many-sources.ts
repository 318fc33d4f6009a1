import type { Knex } from 'knex';

/** The latest run of each kind is found without reading through those of the other kinds, however many sources. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('run', (table) => {
    table.index(['source_id', 'mode', 'id']);
  });
}
