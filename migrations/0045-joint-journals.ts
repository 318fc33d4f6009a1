import type { Knex } from 'knex';

/** Sets across sources: each has a journal of its own, which says in which order it took up what happened in its sources. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('joint_journal', (table) => {
    table.increments('id');
    table.text('name').notNullable().unique();
    // As those of a source.
    table.text('journal_id').notNullable();
    table.bigInteger('journal_seq').notNullable().defaultTo(0);
    table.text('journal_at').notNullable().defaultTo('');
    // Its Change Lists begin behind it.
    table.bigInteger('first_pass_seq');
    // Where the second `journal_at` began: not everything is dated into one.
    table.bigInteger('second_seq').notNullable().defaultTo(0);
    // A digest of the names of its sources.
    table.text('members').notNullable().defaultTo('');
  });
  await knex.schema.createTable('joint_source', (table) => {
    table.integer('joint_id').notNullable();
    table.integer('source_id').notNullable();
    // Of the source's journal: what has been taken up.
    table.bigInteger('seq').notNullable();
    table.primary(['joint_id', 'source_id']);
  });
  await knex.schema.createTable('joint_step', (table) => {
    table.integer('joint_id').notNullable();
    // Of the last change; those before it follow one another.
    table.bigInteger('seq').notNullable();
    table.integer('source_id').notNullable();
    table.bigInteger('source_seq').notNullable();
    table.integer('changes').notNullable();
    table.text('at').notNullable();
    table.primary(['joint_id', 'seq']);
    table.index(['joint_id', 'source_id', 'seq'], 'joint_step_of_source');
  });
  await knex.schema.createTable('joint_moment', (table) => {
    // The negative of the journal's id: moments are asked for by the number of a source, or by this.
    table.integer('source_id').notNullable();
    table.text('at').notNullable();
    table.bigInteger('seq').notNullable();
    table.primary(['source_id', 'at']);
  });
}
