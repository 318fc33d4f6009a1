import type { Knex } from 'knex';

/** What a resource was, and when: deletions are part of it, and some of it may be given up. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('version', (table) => {
    // A deletion: from then on there was nothing.
    table.integer('gone').notNullable().defaultTo(0);
    // When retention gave it up; its bytes may be gone since.
    table.text('dropped_at');
  });
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
