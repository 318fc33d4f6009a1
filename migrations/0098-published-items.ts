import type { Knex } from 'knex';

/**
 * How many items of a source are published, that is, have metadata that lives; `item_count` is of all that are known, whatever became
 * of them. `published_items` is right for the journal up to `published_seq`: processes of before change resources without counting
 * them, and then the journal is further. While a source is counted, `published_to` is the number of the resource up to which that is
 * done: of an item counts what lives of its metadata up to there. Null: all does.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('source', (table) => {
    table.bigInteger('published_items').notNullable().defaultTo(0);
    // Where nothing has happened yet, nothing is to be counted.
    table.bigInteger('published_seq').notNullable().defaultTo(0);
    table.bigInteger('published_to');
  });
}

const resourcesAtATime = 2_000;

/** Each source knows how far it is, and so its place says nothing. */
export async function fill(trx: Knex.Transaction): Promise<string | undefined> {
  return (await countSome(trx, resourcesAtATime)) ? '' : undefined;
}

/**
 * Counts the items of the next resources of a source that is not counted, or not to its end. Whoever writes to the source waits that
 * long: from then on he counts himself what he changes of those.
 * @returns whether there was such a source
 */
export async function countSome(trx: Knex.Transaction, resources: number): Promise<boolean> {
  const open: { id: number } | undefined = await trx('source')
    .whereRaw('(published_seq <> journal_seq or published_to is not null)')
    .orderBy('id')
    .first('id');
  if (!open) return false;
  const { id } = open;
  const isOurs = 'published_seq = journal_seq';
  // Written first: nobody else writes to the source until the commit. What somebody of before has changed is counted from the beginning.
  await trx('source')
    .where({ id })
    .update({
      published_items: trx.raw(`case when ${isOurs} then published_items else 0 end`),
      published_to: trx.raw(`case when ${isOurs} then published_to else 0 end`),
      published_seq: trx.ref('journal_seq'),
    });
  const { published_to }: { published_to: number | string | null } = await trx('source')
    .where({ id })
    .first('published_to');
  // Somebody else has come to the end meanwhile.
  if (published_to === null) return true;
  const after = Number(published_to);
  const last: { id: number | string } | undefined = await trx('resource')
    .where({ source_id: id })
    .where('id', '>', after)
    .orderBy('id')
    .offset(resources - 1)
    .first('id');
  await trx('source')
    .where({ id })
    .update({
      published_items: trx.raw('published_items + ?', [await countItems(trx, id, after, last?.id)]),
      published_to: last ? Number(last.id) : null,
    });
  return true;
}

/** Items of which the first metadata that lives is among these resources: each is so once. */
async function countItems(
  trx: Knex.Transaction,
  sourceId: number,
  after: number,
  last: number | string | undefined,
): Promise<number> {
  const isPostgres = trx.client.config.client === 'pg';
  // SQLite finds them by their item alone; PostgreSQL in the partition of the source.
  const before = trx
    .from({ other: 'resource' })
    .whereRaw(
      `other.item_id = resource.item_id${isPostgres ? ' and other.source_id = resource.source_id' : ''}`,
    )
    .whereRaw('other.id < resource.id')
    .where('other.kind', 'metadata')
    .whereNull('other.deleted_at')
    .select(trx.raw('1'));
  const [row] = await trx('resource')
    .where('resource.source_id', sourceId)
    .where('resource.id', '>', after)
    .modify((query) => {
      if (last !== undefined) query.where('resource.id', '<=', Number(last));
    })
    .where('resource.kind', 'metadata')
    .whereNull('resource.deleted_at')
    .whereNotExists(before)
    .count({ count: '*' });
  return Number(row?.count ?? 0);
}
