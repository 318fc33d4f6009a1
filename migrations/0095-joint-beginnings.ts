import type { Knex } from 'knex';

/**
 * When the journal of a set across sources began, or began anew as a source left it. Its moments do not say so where something happened in
 * the same second, and the moment before it has the same sequence. Null: it began before this was kept, and its moments have to tell.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('joint_journal', (table) => {
    table.text('began_at');
  });
}
