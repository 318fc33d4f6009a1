import type { Knex } from 'knex';

/** What was given up of the past, and what of it is still on the disk. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('source', (table) => {
    // JSON: the retention that was applied last, and up to where; null: nothing was ever given up.
    table.text('retention');
  });

  // Versions that were given up, until their bytes are removed.
  await knex.schema.createTable('released', (table) => {
    table.bigIncrements('id');
    table.integer('source_id').notNullable();
    table.bigInteger('resource_id').notNullable();
    table.bigInteger('seq').notNullable();
    // Of the version after it: whatever follows the journal up to here needs its bytes no more.
    table.bigInteger('end_seq').notNullable();
    table.text('hash').notNullable();
    // Before this its bytes stay. Null: somebody has stored the same bytes again; to be decided anew.
    table.text('due_at');
    table.unique(['source_id', 'resource_id', 'seq']);
    table.index(['hash']);
    table.index(['due_at']);
  });
}
