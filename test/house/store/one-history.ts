import type { Queryable } from '../../../src/store/engine/database.ts';
import { listHistories, type ResourceHistory } from '../../../src/store/history/timelines.ts';

/** The history of what is, or was last, at a path. */
export async function findHistory(db: Queryable, path: string): Promise<ResourceHistory | undefined> {
  return (await listHistories(db, path))[0];
}
