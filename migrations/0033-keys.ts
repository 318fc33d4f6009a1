import type { Knex } from 'knex';

/**
 * Keys that begin with the source, so that the rows of a source can be kept apart from those of others.
 *
 * PostgreSQL: every table that grows with the records of a source is divided into 16 by HASH(source_id), and `blob`, which
 * all sources share, by HASH(hash). The number is fixed. Primary keys have `source_id` first (a unique key has to contain
 * it); `resource` keeps `(path, source_id)`, because the URL of a file that is only linked to is looked for in all
 * sources; secondary indexes do without it (`change (resource_id, seq)`, `resource (item_id)`,
 * `item_collection (collection_id, item_id)`): ids are never those of another source, the statement names the source, and
 * eight octets a row are saved. `released`, `moment`, `vanished`, `link_form` and whatever is counted by runs stay whole:
 * they are small, or emptied again. Hashes are kept in 32 octets, and what is no SHA-256 in those of its text.
 *
 * SQLite has one file and nothing to divide. `version`, `item_collection` and `prior_*` have the same keys as above:
 * what goes with a source lies together, for an octet or two a row, and `item_collection` becomes a tree without a second
 * copy in an index, which saves twenty. `item`, `resource` and `remote_file` are kept in the order of their ids, and
 * `change` had its key already. `item_file` stays as it is: with two indexes that begin with the source, SQLite, which has
 * no statistics here, reads all files of a source instead of those of an item.
 *
 * The rows follow in many transactions (`store/engine/takeover.ts`). Until they are there, no table has its name: a
 * process of before gets an error instead of an empty table. After that it finds no lease, whose columns have other names.
 */
export async function up(knex: Knex): Promise<void> {
  const isPostgres = knex.client.config.client === 'pg';
  const renamed = {
    lease_holder: 'harvest_holder',
    lease_expires: 'harvest_expires',
    files_holder: 'file_work_holder',
    files_expires: 'file_work_expires',
  };
  for (const [before, now] of Object.entries(renamed))
    await knex.raw('alter table source rename column ?? to ??', [before, now]);
  const tables = isPostgres ? postgresTables : sqliteTables;
  const filled: string[] = [];
  for (const table of Object.keys(tables))
    if (await knex(table).first(knex.raw('1 as one'))) filled.push(table);
  for (const [table, statements] of Object.entries(tables)) {
    await knex.raw(`alter table ${table} rename to before_${table}`);
    for (const statement of statements) await knex.raw(statement);
  }
  if (isPostgres) {
    for (const table of ['item', 'resource', 'remote_file', 'released'])
      await knex.raw(`alter sequence ${table}_id_seq owned by next_${table}.id`);
    if (filled.includes('seen')) await knex.raw('insert into next_seen select * from before_seen');
  }
  if (filled.length === 0) {
    for (const table of Object.keys(tables)) {
      await knex.raw(`drop table before_${table}`);
      await knex.raw(`alter table next_${table} rename to ${table}`);
    }
    return;
  }
  // Whatever these would have done is done as the rows are copied.
  const replaced = Object.keys(tables).map((table) => `hashes of ${table}`);
  await knex('takeover').whereIn('what', replaced).delete();
  const [last] = await knex('takeover').max({ position: 'position' });
  const steps = Object.keys(tables).flatMap((table) => (table === 'seen' ? [] : `rows of ${table}`));
  await knex('takeover').insert(
    [...steps, 'names of tables'].map((what, index) => ({
      position: Number(last?.position ?? 0) + index + 1,
      what,
    })),
  );
}

/** In this order their rows are copied: those that ask others for their source come before these go. */
const sqliteTables: Readonly<Record<string, readonly string[]>> = {
  version: [
    `create table next_version (
      source_id integer not null,
      resource_id bigint not null,
      seq bigint not null,
      at text not null,
      lastmod text not null,
      media_type text,
      length bigint,
      hash text,
      upstream_url text,
      gone integer not null default 0,
      dropped_at text,
      primary key (source_id, resource_id, seq)
    ) without rowid`,
  ],
  item_collection: [
    `create table next_item_collection (
      source_id integer not null,
      item_id bigint not null,
      collection_id integer not null,
      primary key (source_id, item_id, collection_id)
    ) without rowid`,
    'create index item_collection_members on next_item_collection (collection_id, item_id)',
  ],
  prior_version: [
    `create table next_prior_version (
      source_id integer not null,
      item_id bigint not null,
      number integer not null,
      at text not null,
      upstream_url text,
      primary key (source_id, item_id, number)
    ) without rowid`,
  ],
  prior_representation: [
    `create table next_prior_representation (
      source_id integer not null,
      item_id bigint not null,
      number integer not null,
      kind text not null,
      format text not null,
      sequence integer not null,
      name text,
      media_type text,
      length bigint,
      hash text,
      profile text,
      upstream_url text,
      primary key (source_id, item_id, number, kind, format, sequence)
    )`,
  ],
};

const partitions = 16;

function divided(
  table: string,
  primaryKey: string,
  { hashes = [], owner = false, indexes = [] }: Layout = {},
): readonly string[] {
  const next = `next_${table}`;
  return [
    `create table ${next} (like before_${table} including defaults${owner ? ', source_id integer not null' : ''}) partition by hash (source_id)`,
    ...hashes.map((column) => `alter table ${next} alter column ${column} type bytea using null`),
    `alter table ${next} add constraint ${table}_key primary key (${primaryKey})`,
    ...indexes.map((index) => index.replace(' on ', ` on ${next} `)),
    ...partitionsOf(table),
  ];
}

function partitionsOf(table: string): readonly string[] {
  return Array.from(
    { length: partitions },
    (_, part) =>
      `create table ${table}_p${part} partition of next_${table} for values with (modulus ${partitions}, remainder ${part})`,
  );
}

interface Layout {
  /** Columns that become octets. */
  readonly hashes?: readonly string[];
  /** It did not say of which source it is. */
  readonly owner?: boolean;
  readonly indexes?: readonly string[];
}

const postgresTables: Readonly<Record<string, readonly string[]>> = {
  version: divided('version', 'source_id, resource_id, seq', { hashes: ['hash'], owner: true }),
  item_collection: divided('item_collection', 'source_id, item_id, collection_id', {
    owner: true,
    indexes: ['create index item_collection_members on (collection_id, item_id)'],
  }),
  prior_version: divided('prior_version', 'source_id, item_id, number', { owner: true }),
  prior_representation: divided(
    'prior_representation',
    'source_id, item_id, number, kind, format, sequence',
    {
      hashes: ['hash'],
      owner: true,
    },
  ),
  change: divided('change', 'source_id, seq', {
    hashes: ['hash'],
    indexes: ['create index change_of_resource on (resource_id, seq)'],
  }),
  blob: [
    `create table next_blob (
      hash bytea not null,
      length bigint not null,
      coding text not null,
      data bytea not null,
      base bytea,
      constraint blob_key primary key (hash)
    ) partition by hash (hash)`,
    ...partitionsOf('blob'),
  ],
  item_file: divided('item_file', 'source_id, item_id, origin, sequence', {
    hashes: ['hash'],
    indexes: [
      'create index item_file_url on (source_id, url)',
      'create index item_file_embargo on (source_id, available_at) where available_at is not null',
    ],
  }),
  remote_file: divided('remote_file', 'source_id, id', {
    hashes: ['content_hash'],
    indexes: [
      'create unique index remote_file_url on (source_id, url)',
      'create index remote_file_due on (source_id, due_at)',
      'create index remote_file_held_back on (source_id, id) where withheld_at is not null',
      'create index remote_file_going on (source_id, withdrawn_at) where withdrawn_at is not null',
    ],
  }),
  released: [
    'create table next_released (like before_released including defaults)',
    'alter table next_released alter column hash type bytea using null',
    'alter table next_released add constraint released_key primary key (id)',
    'create unique index released_version on next_released (source_id, resource_id, seq)',
    'create index released_content on next_released (hash)',
    'create index released_due on next_released (due_at)',
  ],
  resource: divided('resource', 'source_id, id', {
    hashes: ['hash'],
    indexes: [
      'create unique index resource_path on (path, source_id)',
      'create index resource_of_item on (item_id)',
      'create index resource_taken_down on (source_id, withdrawn_at) where withdrawn_at is not null',
    ],
  }),
  item: divided('item', 'source_id, id', {
    indexes: [
      'create unique index item_identifier on (source_id, identifier)',
      'create index item_to_settle on (source_id, id) where unsettled = 1',
      'create index item_landing on (source_id, landing_due) where landing_due is not null',
    ],
  }),
  seen: divided('seen', 'source_id, chunk, run_id'),
};
