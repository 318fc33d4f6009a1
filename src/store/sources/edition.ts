import type { Queryable } from '../engine/database.ts';

/** What processes look at again when one of them says so: the configuration. */
const what = 'configuration';

/** Changes whenever somebody asked for it; cheap enough to be asked for every few seconds. */
export async function readEdition(db: Queryable): Promise<number> {
  const row: { number: number | string } | undefined = await db('edition').where({ what }).first('number');
  return Number(row?.number ?? 0);
}

/** Every process at this database looks again. */
export async function nextEdition(db: Queryable): Promise<void> {
  await db('edition')
    .insert({ what, number: 1 })
    .onConflict('what')
    .merge({ number: db.raw('edition.number + 1') });
}
