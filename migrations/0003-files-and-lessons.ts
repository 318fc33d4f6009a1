import type { Knex } from 'knex';

/** What items say of their files, what the files' servers say, and what endpoints taught us. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('source', (table) => {
    // JSON: what the endpoint taught us.
    table.text('lessons');
    // Who downloads and checks files of this source, beside whoever harvests it.
    table.text('files_holder');
    table.bigInteger('files_expires');
  });

  await knex.schema.alterTable('resource', (table) => {
    // Metadata: the page for people it names; what it describes while its item has no files.
    table.text('landing_page');
  });

  await knex.schema.alterTable('item', (table) => {
    // 1: something about its files or formats has changed, and what is published of it may have to follow.
    table.integer('unsettled').notNullable().defaultTo(0);
    // When its landing page is to be read for links to files; null: no need.
    table.text('landing_due');
  });
  await knex.raw('create index item_unsettled on item (source_id, id) where unsettled = 1');
  await knex.raw(
    'create index item_landing_due on item (source_id, landing_due) where landing_due is not null',
  );

  // As stated by an origin (a format, a landing page); the rows of an item and origin are replaced as a whole.
  await knex.schema.createTable('item_file', (table) => {
    table.bigInteger('item_id').notNullable();
    table.text('origin').notNullable();
    table.integer('rank').notNullable();
    // Order within the origin, from 1.
    table.integer('sequence').notNullable();
    table.integer('source_id').notNullable();
    table.text('url').notNullable();
    table.text('name').notNullable();
    table.text('media_type');
    table.bigInteger('length');
    table.text('hash');
    table.text('access');
    table.text('available_at');
    table.text('version');
    table.primary(['item_id', 'origin', 'sequence']);
  });
  await knex.raw(
    'create index item_file_available on item_file (source_id, available_at) where available_at is not null',
  );
  await knex.schema.alterTable('item_file', (table) => {
    table.index(['source_id', 'url']);
  });

  // What the server at a URL said, for all items that name it.
  await knex.schema.createTable('remote_file', (table) => {
    table.bigIncrements('id');
    table.integer('source_id').notNullable();
    table.text('url').notNullable();
    // unchecked, confirmed, refused (gone, login, a page for people), unreachable
    table.text('outcome').notNullable();
    // In words, where it is not confirmed.
    table.text('reason');
    table.text('checked_at');
    // Null: never again by itself.
    table.text('due_at');
    table.integer('failures').notNullable().defaultTo(0);
    table.text('media_type');
    table.bigInteger('length');
    table.text('etag');
    table.text('last_modified');
    // When its bytes were seen to be others than before: a stated hash is that of the former ones.
    table.text('changed_at');
    // Mirrored: what was downloaded, complete and verified.
    table.text('content_hash');
    table.bigInteger('content_length');
    table.unique(['source_id', 'url']);
    table.index(['source_id', 'due_at']);
  });
}
