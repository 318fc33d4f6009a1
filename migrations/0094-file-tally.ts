import type { Knex } from 'knex';

/**
 * How many files of a source are in which state (`file-standing.ts`), so that nobody has to read all of them to tell. `counted` is
 * the state in which a file is counted now; `file_recount` names those of which that may have changed. A row for the source 0 says
 * that those of before are not named yet: until then all are counted. Its number is 1 as long as processes of before may be at work, which change
 * files without naming them: nothing is settled then. `process.knows` tells them: the newest migration that one knows.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('remote_file', (table) => {
    table.integer('counted');
  });
  await knex.schema.createTable('file_tally', (table) => {
    table.integer('source_id').notNullable();
    table.integer('standing').notNullable();
    table.bigInteger('files').notNullable();
    table.primary(['source_id', 'standing']);
  });
  await knex.schema.createTable('file_recount', (table) => {
    table.bigIncrements('id');
    table.integer('source_id').notNullable();
    table.text('url').notNullable();
    table.index(['source_id', 'id']);
  });
  await knex.schema.alterTable('process', (table) => {
    table.text('knows');
  });
  if ((await knex('remote_file').first('id')) ?? (await knex('process').first('holder')))
    await knex('file_tally').insert({ source_id: 0, standing: 0, files: 1 });
}

const rowsAtATime = 2_000;

/** Names those that are there, once nobody is at work who does not know of it. PostgreSQL has them in the order of their sources, SQLite in that of their numbers. */
export async function fill(trx: Knex.Transaction, after?: string): Promise<string | undefined> {
  const columns = trx.client.config.client === 'pg' ? ['source_id', 'id'] : ['id'];
  const places = columns.map(() => '?').join(', ');
  const bound = (than: string) => `(${columns.join(', ')}) ${than} (${places})`;
  // Where there were none before there is nothing to be named.
  if ((await trx('file_tally').where({ source_id: 0 }).update({ files: 2 })) === 0) return undefined;
  const place = (after ?? '').split(' ').map(Number);
  // That of the other kind of database, which this one came from: to be named twice does no harm.
  const from = place.length === columns.length ? place : columns.map(() => 0);
  const last: Record<string, unknown> | undefined = await trx('remote_file')
    .whereRaw(bound('>'), from)
    .orderBy(columns)
    .offset(rowsAtATime - 1)
    .first(columns);
  const to = last && columns.map((column) => Number(last[column]));
  await trx.raw(
    `insert into file_recount (source_id, url)
      select source_id, url from remote_file where ${bound('>')}${to ? ` and ${bound('<=')}` : ''}`,
    [...from, ...(to ?? [])],
  );
  if (to) return to.join(' ');
  await trx('file_tally').where({ source_id: 0 }).delete();
  return undefined;
}
