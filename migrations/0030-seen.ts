import type { Knex } from 'knex';

/** Which resources a pass has met, a bit each: what has not changed is not written again for having been met. */
export async function up(knex: Knex): Promise<void> {
  const isPostgres = knex.client.config.client === 'pg';
  await knex.raw(`
    create table seen (
      source_id integer not null,
      -- The id of the resource, divided by 32.
      chunk bigint not null,
      run_id bigint not null,
      bits bigint not null,
      primary key (source_id, chunk, run_id)
    ) ${isPostgres ? '' : 'without rowid'}`);
}
