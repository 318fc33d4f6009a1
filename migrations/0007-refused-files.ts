import type { Knex } from 'knex';

/** What becomes of files whose servers say no, and which files are asked for again because of what is said of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('remote_file', (table) => {
    // It is published, but its server says no since then: not handed out, and waiting to be deleted or to come back.
    table.text('withheld_at');
    // When its deletion for that was decided; how many were of late tells an accident from the usual.
    table.text('withdrawn_at');
    // Of a mirrored file: what is kept may be out of date: `if-changed`, `always`. Null: it is not.
    table.text('download');
  });
  await knex.raw(
    'create index remote_file_withheld on remote_file (source_id, id) where withheld_at is not null',
  );
  await knex.raw(
    'create index remote_file_withdrawn on remote_file (source_id, withdrawn_at) where withdrawn_at is not null',
  );
  // What was refused before there was a difference.
  await knex('remote_file')
    .where({ outcome: 'refused' })
    .where((said) => said.where('reason', 'like', '%(404)').orWhere('reason', 'like', '%(410)'))
    .update({ outcome: 'gone' });

  await knex.schema.alterTable('source', (table) => {
    // When somebody is to look at files whose servers say no; null: there are none.
    table.text('refusals_due');
    // Since when so many do that nothing of them is deleted without a person; null: they do not.
    table.text('fuse_at');
  });
}
