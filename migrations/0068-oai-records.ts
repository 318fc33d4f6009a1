import type { Knex } from 'knex';

/**
 * The records of sources that answer OAI-PMH, in the order of their last changes, by format and by set; derived from the
 * journal and made anew from it at any time. Only what has been offered has rows. Whoever reads them asks the living
 * resources whether they still hold: what has changed since lies further back.
 *
 * PostgreSQL: divided as the other large tables are.
 */
export async function up(knex: Knex): Promise<void> {
  const isPostgres = knex.client.config.client === 'pg';
  for (const statement of isPostgres ? postgres : sqlite) await knex.raw(statement);
  await knex.schema.createTable('oai_followed', (table) => {
    table.integer('source_id').primary();
    // Of the source's journal: what has been taken up.
    table.bigInteger('seq').notNullable();
    // By which rules: those of another release put everything in order anew.
    table.integer('rules').notNullable();
  });
  // What tokens are signed with, by all processes at this database.
  await knex.schema.createTable('oai_secret', (table) => {
    table.integer('id').primary();
    table.text('secret').notNullable();
  });
}

const columns = (number: string) => `
  source_id integer not null,
  format text not null,
  -- A setSpec; empty: all records of the format.
  spec text not null,
  seq ${number} not null,
  resource_id ${number} not null,
  primary key (source_id, format, spec, seq)`;

const ofResource = 'create index oai_record_of_resource on oai_record (resource_id)';

const sqlite: readonly string[] = [
  `create table oai_record (${columns('integer')}) without rowid`,
  ofResource,
];

const partitions = 16;

const postgres: readonly string[] = [
  `create table oai_record (${columns('bigint')}) partition by hash (source_id)`,
  ofResource,
  ...Array.from(
    { length: partitions },
    (_, part) =>
      `create table oai_record_p${part} partition of oai_record for values with (modulus ${partitions}, remainder ${part})`,
  ),
];
