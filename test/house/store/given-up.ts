import type { Queryable } from '../../../src/store/engine/database.ts';

/** Versions of a source that retention has given up, as it has counted them; 0 where it was never asked for. */
export async function countGivenUp(db: Queryable, sourceId: number): Promise<number> {
  const { retention } = await db('source').where({ id: sourceId }).first('retention');
  return retention === null ? 0 : JSON.parse(retention).givenUp;
}
