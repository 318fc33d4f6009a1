import type { Knex } from 'knex';

/** Metadata that a repository does not show to everybody: withheld with its past, `withdrawn_at`, as long as that lasts. */
export async function up(knex: Knex): Promise<void> {
  // A backup of before may have it already (`store/backup/carried-over.ts`).
  if (await knex.schema.hasColumn('resource', 'refused_at')) return;
  await knex.schema.alterTable('resource', (table) => {
    table.text('refused_at');
  });
}
