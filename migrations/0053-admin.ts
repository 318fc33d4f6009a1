import type { Knex } from 'knex';

/** Who may act: accounts with passwords, the links by which they are set, sessions, tokens; and who did what. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('admin_account', (table) => {
    table.text('name').primary();
    table.text('scope').notNullable();
    table.text('password').notNullable();
    table.text('changed_at').notNullable();
  });
  // Of secrets only the SHA-256 is kept, here and below.
  await knex.schema.createTable('admin_link', (table) => {
    table.text('hash').primary();
    table.text('account').notNullable();
    table.text('scope').notNullable();
    table.text('expires_at').notNullable();
  });
  await knex.schema.createTable('admin_session', (table) => {
    table.text('hash').primary();
    table.text('account').notNullable().index();
    table.text('created_at').notNullable();
    table.text('used_at').notNullable();
    table.text('address').notNullable();
    table.text('agent').notNullable();
  });
  await knex.schema.createTable('api_token', (table) => {
    table.increments('id');
    table.text('hash').notNullable().unique();
    table.text('name').notNullable();
    table.text('scope').notNullable();
    table.text('created_by').notNullable();
    table.text('created_at').notNullable();
    table.text('expires_at');
    table.text('used_at');
  });
  // Failed attempts to sign in, by account and by address.
  await knex.schema.createTable('sign_in_attempt', (table) => {
    table.text('key').primary();
    table.integer('failures').notNullable();
    table.text('until');
    table.text('at').notNullable().index();
  });
  await knex.schema.createTable('audit', (table) => {
    table.increments('id');
    table.text('at').notNullable().index();
    table.text('who').notNullable();
    table.text('action').notNullable();
    table.text('what');
    table.text('address');
  });
}
