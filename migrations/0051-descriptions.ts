import type { Knex } from 'knex';

/**
 * What people are told of items in lists, and by which words they find them. Derived from what is published, and made anew
 * from it at any time; whoever reads it asks the living resources whether it still holds.
 *
 * `place` is the order of lists: minutes since 1970, and the item's id, in one number. Words are made by us and are the same
 * in both databases. SQLite: its index has the places as its row numbers and gives them in their order; PostgreSQL: rows
 * are divided as those of the other large tables are.
 */
export async function up(knex: Knex): Promise<void> {
  const isPostgres = knex.client.config.client === 'pg';
  for (const statement of isPostgres ? postgres : sqlite) await knex.raw(statement);
  await knex.schema.createTable('described', (table) => {
    table.integer('source_id').primary();
    // Of the source's journal: what has been taken up.
    table.bigInteger('seq').notNullable();
    // By which rules: those of another release describe everything anew.
    table.integer('rules').notNullable();
  });
}

const columns = (number: string, hash: string) => `
  source_id integer not null,
  item_id ${number} not null,
  resource_id ${number} not null,
  hash ${hash} not null,
  lastmod text not null,
  title text,
  language text,
  other_titles text not null,
  creators text not null,
  date text,
  type text`;

const sqlite: readonly string[] = [
  `create table description (place integer primary key, ${columns('integer', 'text')})`,
  'create unique index description_of_item on description (source_id, item_id)',
  `create virtual table item_search using fts5(
    terms, content='', contentless_delete=1, detail=none,
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* Co'")`,
];

const partitions = 16;

const postgres: readonly string[] = [
  `create table description (place bigint not null, ${columns('bigint', 'bytea')}, terms tsvector not null,
    constraint description_key primary key (source_id, item_id)) partition by hash (source_id)`,
  'create index description_place on description (place)',
  'create index description_of_source on description (source_id, place)',
  'create index description_terms on description using gin (terms) with (gin_pending_list_limit = 256)',
  ...Array.from(
    { length: partitions },
    (_, part) =>
      `create table description_p${part} partition of description for values with (modulus ${partitions}, remainder ${part})`,
  ),
];
