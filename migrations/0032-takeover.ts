import type { Knex } from 'knex';

/**
 * What is left to do of a database of before, where that takes longer than a transaction may (`store/engine/takeover.ts`).
 * SQLite keeps hashes in 32 octets from now on.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('takeover', (table) => {
    // The order in which it is done.
    table.integer('position').primary();
    table.text('what').notNullable();
    // The key of the last row that was looked at.
    table.bigInteger('after').notNullable().defaultTo(0);
  });
  if (knex.client.config.client === 'pg') return;
  const tables = [
    // Whoever removes bytes finds nothing to remove from now on, even if it is a process of before.
    'released',
    'blob',
    'remote_file',
    'prior_representation',
    'item_file',
    'resource',
    'change',
    'version',
  ];
  const filled = [];
  for (const table of tables) if (await knex(table).first(knex.raw('1'))) filled.push(table);
  const rows = filled.map((table, index) => ({ position: index + 1, what: `hashes of ${table}` }));
  if (rows.length > 0) await knex('takeover').insert(rows);
}
