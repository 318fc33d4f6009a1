import type { Knex } from 'knex';

/** What is to be done when, by whichever process at the database has a place free, and by whom it is being done. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('due', (table) => {
    // By its name, as it is configured; empty: the installation.
    table.text('source').notNullable();
    table.text('kind').notNullable();
    // By which `due_at` was reckoned: another one is reckoned anew.
    table.text('schedule').notNullable();
    // In milliseconds by the clock of the database; none: never, unless somebody asks.
    table.bigInteger('due_at');
    table.integer('priority').notNullable().defaultTo(0);
    // Failed in a row, and why the last one did.
    table.integer('attempts').notNullable().defaultTo(0);
    table.text('reason');
    // Since it was last begun.
    table.bigInteger('asked_at');
    table.boolean('is_long').notNullable().defaultTo(false);
    // The process that is at it, as long as it says so in time.
    table.text('holder');
    table.bigInteger('expires');
    table.primary(['source', 'kind']);
  });
}
