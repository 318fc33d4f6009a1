import type { Knex } from 'knex';

/**
 * Which versions of metadata are of another item than the one that has the identifier now, as where a handle moves to the newest version:
 * those behind the row before, up to `until_seq`. They are for everybody as long as that item is.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('former_item', (table) => {
    table.integer('source_id').notNullable();
    table.bigInteger('resource_id').notNullable();
    table.bigInteger('until_seq').notNullable();
    // Where the repository shows it, if it does.
    table.text('address').notNullable();
    // When the repository last said whether it does; none: it is still to be asked.
    table.text('asked_at');
    // Since which sequence of the journal it does not; none: it does.
    table.bigInteger('hidden_seq');
    table.primary(['source_id', 'resource_id', 'until_seq']);
  });
}
