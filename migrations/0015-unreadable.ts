import type { Knex } from 'knex';

/** Records that could not be read, until they are read well or are gone: what the table `problem` says is history. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('unreadable', (table) => {
    table.bigIncrements('id');
    table.integer('source_id').notNullable();
    // `id:` and the identifier, or `at:` and what is known of its place.
    table.text('place').notNullable();
    // Empty where it is about all formats.
    table.text('format').notNullable();
    table.text('identifier');
    table.text('code').notNullable();
    table.text('message').notNullable();
    // The last run that met it so.
    table.bigInteger('run_id').notNullable();
    table.text('first_at').notNullable();
    table.text('last_at').notNullable();
    // As it came, or its beginning; and how long it was, in octets.
    table.binary('raw');
    table.bigInteger('raw_length');
    table.unique(['source_id', 'place', 'format']);
    table.index(['source_id', 'id']);
  });

  // What the latest full pass met, and the runs behind it.
  await knex.raw(`
    insert into unreadable (source_id, place, format, identifier, code, message, run_id, first_at, last_at)
    select run.source_id, coalesce('id:' || problem.identifier, 'at:' || problem.message),
      coalesce(problem.format, ''), max(problem.identifier), max(problem.code), max(problem.message),
      max(run.id), min(run.started_at), max(run.updated_at)
    from problem join run on run.id = problem.run_id
    where problem.code in ('record-quarantined', 'record-without-metadata')
      and run.mode in ('full', 'incremental')
      and run.id >= (select coalesce(max(pass.id), 0) from run as pass
        where pass.source_id = run.source_id and pass.mode = 'full'
          and pass.state in ('succeeded', 'needs-attention'))
    group by run.source_id, coalesce('id:' || problem.identifier, 'at:' || problem.message),
      coalesce(problem.format, '')`);
}
