import type { Knex } from 'knex';

/**
 * Everything the bridge remembers: what it read, what it publishes, and how each came to be.
 *
 * The tables that grow with every record have no foreign keys: one writer per source, one file of code and one
 * transaction per page keep them whole, and checking nine keys per record cost a third of the harvest.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('source', (table) => {
    table.increments('id');
    table.text('name').notNullable().unique();
    // Which journal this is: a lost and rebuilt database has another one of the same source.
    table.text('journal_id');
    // The journal: the sequence and the moment of its last change. The moment never runs backwards.
    table.bigInteger('journal_seq').notNullable().defaultTo(0);
    table.text('journal_at').notNullable();
    // Kept with every page, because counting a million rows for every look at a page does not do.
    table.bigInteger('item_count').notNullable().defaultTo(0);
    table.bigInteger('resource_count').notNullable().defaultTo(0);
    // Where the first complete pass ended; what came before is told by the Resource List.
    table.bigInteger('first_pass_seq');
    // One writer at a time: who, and until when (milliseconds since the epoch) without a sign of life.
    table.text('lease_holder');
    table.bigInteger('lease_expires');
    // The upstream's clock at the start of the last good run, and what that run covered.
    table.text('as_of');
    table.text('last_full_at');
    table.text('selection');
    table.text('info');
    // What kept the last harvest from even beginning: code, message, when.
    table.text('trouble');
  });

  await knex.schema.createTable('collection', (table) => {
    table.increments('id');
    table.integer('source_id').notNullable().references('source.id');
    table.text('spec').notNullable();
    table.text('name').notNullable();
    table.text('description');
    table.unique(['source_id', 'spec']);
  });

  await knex.schema.createTable('item', (table) => {
    table.bigIncrements('id');
    table.integer('source_id').notNullable().references('source.id');
    table.text('identifier').notNullable();
    table.text('datestamp');
    table.unique(['source_id', 'identifier']);
  });

  await knex.schema.createTable('item_collection', (table) => {
    table.bigInteger('item_id').notNullable();
    table.integer('collection_id').notNullable();
    table.primary(['item_id', 'collection_id']);
    table.index(['collection_id', 'item_id']);
  });

  await knex.schema.createTable('resource', (table) => {
    table.bigIncrements('id');
    table.integer('source_id').notNullable().references('source.id');
    table.bigInteger('item_id').notNullable();
    table.text('path').notNullable().unique();
    table.text('kind').notNullable();
    table.text('format').notNullable();
    table.text('media_type');
    table.bigInteger('length');
    table.text('hash');
    table.text('lastmod').notNullable();
    table.text('upstream_url');
    table.text('links').notNullable();
    // Its latest change; a Change List that keeps one entry per resource keeps this one.
    table.bigInteger('last_seq').notNullable();
    table.integer('version_count').notNullable();
    table.text('deleted_at');
    // The last run that met it in a full pass.
    table.bigInteger('seen_run');
    table.index(['source_id', 'id']);
    table.index(['item_id']);
  });

  // Append-only. Each row holds what the documents said then: a closed list can be written again, byte for byte.
  await knex.schema.createTable('change', (table) => {
    table.integer('source_id').notNullable();
    table.bigInteger('seq').notNullable();
    table.bigInteger('resource_id').notNullable();
    table.text('at').notNullable();
    table.text('kind').notNullable();
    table.text('lastmod').notNullable();
    table.text('media_type');
    table.bigInteger('length');
    table.text('hash');
    table.text('links').notNullable();
    table.primary(['source_id', 'seq']);
  });

  // The representation a resource had from a change on, where its bytes are kept or can be fetched.
  await knex.schema.createTable('version', (table) => {
    table.bigInteger('resource_id').notNullable();
    table.bigInteger('seq').notNullable();
    table.text('at').notNullable();
    table.text('lastmod').notNullable();
    table.text('media_type');
    table.bigInteger('length');
    table.text('hash');
    table.text('upstream_url');
    table.primary(['resource_id', 'seq']);
  });

  await knex.schema.createTable('blob', (table) => {
    table.text('hash').primary();
    table.bigInteger('length').notNullable();
    table.text('coding').notNullable();
    table.binary('data').notNullable();
  });

  await knex.schema.createTable('run', (table) => {
    table.bigIncrements('id');
    table.integer('source_id').notNullable().references('source.id');
    table.text('mode').notNullable();
    table.text('state').notNullable();
    table.text('selection').notNullable();
    table.text('since');
    table.text('as_of');
    table.text('started_at').notNullable();
    table.text('updated_at').notNullable();
    table.text('ended_at');
    table.text('checkpoint');
    for (const count of ['pages', 'items', 'created', 'updated', 'deleted', 'unchanged', 'problems']) {
      table.integer(count).notNullable().defaultTo(0);
    }
    // A full pass that lost sight of a record may not delete what it did not see.
    table.integer('unidentified').notNullable().defaultTo(0);
    // How often it was taken up again without getting any further.
    table.integer('stalled').notNullable().defaultTo(0);
    table.bigInteger('expected_total');
    table.text('error_code');
    table.text('error_message');
    table.index(['source_id', 'id']);
  });

  await knex.schema.createTable('problem', (table) => {
    table.bigIncrements('id');
    table.bigInteger('run_id').notNullable().references('run.id');
    table.text('code').notNullable();
    table.text('message').notNullable();
    table.text('identifier');
    table.text('format');
    table.index(['run_id', 'id']);
  });
}
