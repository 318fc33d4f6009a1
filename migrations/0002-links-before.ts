import type { Knex } from 'knex';

/**
 * What a change took away: which sets a resource leaves with a change is said by the links it had before.
 * Null where the change left the links as they were.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('change', (table) => {
    table.text('links_before');
  });
  // Journals of earlier versions: the row before tells. One pass over the table, by resource.
  await knex.raw(`
    update change set links_before = earlier.links_before
    from (
      select source_id, seq, links, lag(links) over (partition by resource_id order by seq) as links_before
      from change
    ) as earlier
    where change.source_id = earlier.source_id and change.seq = earlier.seq
      and change.kind <> 'created' and earlier.links_before <> change.links`);
}
