import type { Knex } from 'knex';

/** What somebody has asked for, to be done by whichever process works. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('asked', (table) => {
    table.increments('id');
    table.text('source').notNullable();
    table.text('kind').notNullable();
    // Of one item: its identifier; of deletions: the run that showed them.
    table.text('what');
    table.text('who').notNullable();
    table.text('at').notNullable();
    // Runs of the source with ids beyond this may be the one that was asked for.
    table.integer('after_run').notNullable();
    // Of what no run is begun for by itself.
    table.text('state').notNullable();
    table.text('message');
    table.text('ended_at');
    table.index(['source', 'state']);
  });
}
