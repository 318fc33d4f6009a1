import type { Knex } from 'knex';

/** How many records the repository itself says that there are, of a run over everything; empty: it did not say. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('run', (table) => {
    table.bigInteger('stated_total');
  });
}
