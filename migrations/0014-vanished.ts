import type { Knex } from 'knex';

/** What the lists left out and nobody has decided about, and what a pass could not read. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('vanished', (table) => {
    table.bigInteger('resource_id').primary();
    table.integer('source_id').notNullable();
    table.bigInteger('item_id').notNullable();
    // The latest finished pass that did not meet it: its run, of which kind it was, and when it ended.
    table.bigInteger('run_id').notNullable();
    table.text('pass').notNullable();
    table.text('at').notNullable();
    // The first of them in a row.
    table.text('first_at').notNullable();
    table.index(['source_id', 'item_id']);
  });

  // Parts of a list that could not be read: what is in there has not vanished. Null: all of it.
  await knex.schema.createTable('unread_part', (table) => {
    table.bigIncrements('id');
    table.integer('source_id').notNullable();
    table.bigInteger('run_id').notNullable();
    table.text('format');
    table.text('spec');
    table.text('from_at');
    table.text('until_at');
    table.index(['source_id', 'run_id']);
  });

  // Deletions that wait for a person already, where the whole list could be read.
  await knex.raw(`
    insert into vanished (resource_id, source_id, item_id, run_id, pass, at, first_at)
    select resource.id, resource.source_id, resource.item_id, run.id, run.mode,
      coalesce(run.ended_at, run.updated_at), coalesce(run.ended_at, run.updated_at)
    from resource
    join run on run.source_id = resource.source_id and run.id = (
      select max(latest.id) from run as latest
      where latest.source_id = resource.source_id and latest.mode in ('full', 'identifiers')
        and latest.state in ('succeeded', 'needs-attention'))
    where run.state = 'needs-attention' and run.error_code = 'deletions-refused' and run.unidentified = 0
      and resource.kind = 'metadata' and resource.deleted_at is null
      and (resource.seen_run is null or resource.seen_run < run.id)`);
}
