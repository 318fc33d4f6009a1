import type { Knex } from 'knex';

/**
 * All sources as one OAI-PMH repository: their records in the order in which their changes were taken up, with a clock of its
 * own; derived from their journals. Where that is not configured there are no rows.
 *
 * These tables are not divided on PostgreSQL: a page is of whatever sources come next.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oai_joint', (table) => {
    table.integer('id').primary();
    // Another one whenever the order begins anew: tokens of before are refused.
    table.text('journal_id').notNullable();
    table.bigInteger('seq').notNullable();
    // No later change is dated before this.
    table.text('at').notNullable();
  });
  await knex.schema.createTable('oai_joint_source', (table) => {
    table.integer('source_id').primary();
    // Of the source's journal: what has been taken up.
    table.bigInteger('seq').notNullable();
  });
  await knex.schema.createTable('oai_joint_moment', (table) => {
    table.text('at').primary();
    // Of the last change that is dated so.
    table.bigInteger('seq').notNullable();
  });
  const isPostgres = knex.client.config.client === 'pg';
  const [number, rows] = isPostgres ? ['bigint', ''] : ['integer', ' without rowid'];
  await knex.raw(`create table oai_joint_record (
    format text not null,
    -- A setSpec: SOURCE, or SOURCE:SPEC; empty: all records of the format.
    spec text not null,
    seq ${number} not null,
    at text not null,
    source_id integer not null,
    resource_id ${number} not null,
    primary key (format, spec, seq)
  )${rows}`);
  await knex.raw('create index oai_joint_record_of_resource on oai_joint_record (source_id, resource_id)');
}
