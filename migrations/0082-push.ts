import type { Knex } from 'knex';

/**
 * Those who want to be told of changes, and what they are to be told: one queue of notifications for each topic, and in it a place
 * for each subscriber. Times are milliseconds by the clock of the database.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('push_topic', (table) => {
    table.increments('id');
    // Below `baseUrl`, where it is a document of ours.
    table.text('name').notNullable().unique();
    // The journal that it follows, and how far; a topic that follows none has none.
    table.text('journal_id');
    table.bigInteger('journal_seq').notNullable().defaultTo(0);
    // What has been told up to here (ISO).
    table.text('until_at');
    // What it knows of what it tells of, as JSON.
    table.text('known');
    // Of its latest notification.
    table.bigInteger('seq').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    // Since when nothing is told any more.
    table.bigInteger('ended_at');
  });
  await knex.schema.createTable('push_notification', (table) => {
    table.integer('topic_id').notNullable();
    table.bigInteger('seq').notNullable();
    table.text('media_type').notNullable();
    // Deflated.
    table.binary('data').notNullable();
    // The same for webhooks (JSON), where there were any.
    table.binary('json_data');
    // Of the content as it is sent.
    table.integer('bytes').notNullable();
    table.integer('entries').notNullable();
    table.text('from_at');
    table.text('until_at');
    // Earlier ones may tell of what is gone.
    table.boolean('has_deletions').notNullable().defaultTo(false);
    table.bigInteger('created_at').notNullable();
    table.primary(['topic_id', 'seq']);
    table.index(['created_at']);
  });
  await knex.schema.createTable('push_subscription', (table) => {
    table.increments('id');
    table.integer('topic_id').notNullable();
    table.text('kind').notNullable();
    table.text('callback').notNullable();
    // The host and port of the callback.
    table.text('host').notNullable();
    table.text('secret');
    // Until when; none: until somebody ends it.
    table.bigInteger('lease_until');
    // The address that asked for it; none: the operator did.
    table.text('client');
    // The hash of the token that opened a private topic.
    table.text('token_hash');
    table.text('label');
    table.bigInteger('created_at').notNullable();
    // The last notification that it has got, or that it does not get any more.
    table.bigInteger('sent_seq').notNullable();
    // That failed in a row, and when it is tried again.
    table.integer('attempts').notNullable().defaultTo(0);
    table.bigInteger('due_at');
    table.bigInteger('delivered_at');
    table.bigInteger('failed_at');
    table.text('reason');
    // The process that delivers to it, as long as it says so in time.
    table.text('holder');
    table.bigInteger('expires');
    table.unique(['topic_id', 'kind', 'callback']);
    table.index(['host']);
    table.index(['holder']);
  });
  // What was asked for and is still to be confirmed, or denied, at the callback.
  await knex.schema.createTable('push_intent', (table) => {
    table.increments('id');
    table.integer('topic_id').notNullable();
    table.text('callback').notNullable();
    table.text('host').notNullable();
    // subscribe, unsubscribe, denied
    table.text('mode').notNullable();
    // As it was asked for: the callback is told the same.
    table.text('topic_url').notNullable();
    table.text('secret');
    table.bigInteger('lease_seconds').notNullable();
    table.text('client');
    table.text('token_hash');
    table.text('reason');
    table.bigInteger('created_at').notNullable();
    table.integer('attempts').notNullable().defaultTo(0);
    table.bigInteger('due_at').notNullable();
    table.text('holder');
    table.bigInteger('expires');
    table.unique(['topic_id', 'callback']);
    table.index(['due_at']);
    table.index(['host']);
    table.index(['client']);
  });
  await knex.schema.createTable('push_count', (table) => {
    table.text('what').notNullable();
    table.text('outcome').notNullable();
    table.bigInteger('count').notNullable();
    table.primary(['what', 'outcome']);
  });
}
