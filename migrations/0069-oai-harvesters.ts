import type { Knex } from 'knex';

/** Who harvests a source by OAI-PMH: the operator wants to know when the last one has moved on. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oai_harvester', (table) => {
    table.integer('source_id').notNullable();
    // As its requests say (`User-Agent`, `From`); empty: they do not.
    table.text('agent').notNullable();
    table.text('sender').notNullable();
    table.text('first_at').notNullable();
    table.text('last_at').notNullable();
    // Of its last list; none: it asked for everything.
    table.text('last_from');
    table.bigInteger('requests').notNullable();
    table.bigInteger('records').notNullable();
    table.primary(['source_id', 'agent', 'sender']);
  });
}
