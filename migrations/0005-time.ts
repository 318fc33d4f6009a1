import type { Knex } from 'knex';

/** What a resource was, and when: deletions are part of it, and some of it may be given up. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('version', (table) => {
    // A deletion: from then on there was nothing.
    table.integer('gone').notNullable().defaultTo(0);
    // When retention gave it up; its bytes may be gone since.
    table.text('dropped_at');
  });
  if (isSqlite(knex)) await cluster(knex);
  await knex.raw(`
    insert into version (resource_id, seq, at, lastmod, gone)
    select resource_id, seq, at, lastmod, 1 from change where kind = 'deleted'
  `);
  await knex.schema.alterTable('blob', (table) => {
    // The payload that this one is told as a difference from.
    table.text('base');
  });
  // What a resource was at a sequence.
  await knex.schema.alterTable('change', (table) => {
    table.index(['resource_id', 'seq']);
  });

  // Where a journal stood at the end of each second in which something happened.
  await knex.schema.createTable('moment', (table) => {
    table.integer('source_id').notNullable();
    table.text('at').notNullable();
    table.bigInteger('seq').notNullable();
    table.primary(['source_id', 'at']);
  });
  await knex.raw(`
    insert into moment (source_id, at, seq)
    select source_id, at, max(seq) from change group by source_id, at
  `);
}

function isSqlite(knex: Knex): boolean {
  return knex.client.config.client !== 'pg';
}

/** The versions of a resource beside each other: they come one by one over years, and are read together. */
async function cluster(knex: Knex): Promise<void> {
  const columns = 'resource_id, seq, at, lastmod, media_type, length, hash, upstream_url, gone, dropped_at';
  await knex.raw(`
    create table clustered (
      resource_id bigint not null,
      seq bigint not null,
      at text not null,
      lastmod text not null,
      media_type text,
      length bigint,
      hash text,
      upstream_url text,
      gone integer not null default 0,
      dropped_at text,
      primary key (resource_id, seq)
    ) without rowid
  `);
  await knex.raw(
    `insert into clustered (${columns}) select ${columns} from version order by resource_id, seq`,
  );
  await knex.schema.dropTable('version');
  await knex.schema.renameTable('clustered', 'version');
}
