import type { Database, Queryable } from '../engine/database.ts';

/** Why a set was not published the last time that was tried: the table `publication_trouble`. */
export interface PublicationTrouble {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

const table = 'publication_trouble';

/** Since when is kept, as long as it is the same. */
export async function noteTrouble({ writer }: Database, trouble: PublicationTrouble): Promise<void> {
  const { code, message } = trouble;
  await writer(table).insert(trouble).onConflict('path').merge({ code, message });
}

export async function clearTrouble({ writer }: Database, path: string): Promise<void> {
  await writer(table).where({ path }).delete();
}

export async function listTroubles(db: Queryable): Promise<readonly PublicationTrouble[]> {
  return db(table).orderBy('path').select('path', 'code', 'message', 'at');
}
