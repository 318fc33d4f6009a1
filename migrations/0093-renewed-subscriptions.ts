import type { Knex } from 'knex';

/** A subscription to a Source is renewed at another callback, beside the one that there is; its lease is kept, in milliseconds. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('followed_topic', (table) => {
    table.dropUnique(['source', 'topic']);
    table.bigInteger('lease_ms');
    table.index(['source', 'topic']);
  });
}
