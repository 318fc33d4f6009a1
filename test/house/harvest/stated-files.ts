import type { Database } from '../../../src/store/engine/database.ts';
import { storeUnasked } from '../../../src/store/files/remote-file-writing.ts';
import { sourceIdOf } from '../../../src/store/rows/one-source.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';

export interface Statement {
  readonly url: string;
  readonly mediaType?: string;
  readonly length?: number;
  readonly hash?: string;
}

let sources = 0;

/** A new source with one item that states these files, all of them due. */
export async function stateFiles(
  database: Database,
  statements: readonly Statement[],
  now: string,
): Promise<{ readonly name: string; readonly id: number }> {
  sources += 1;
  const name = `files-${sources}`;
  await ensureSource(database, name, now);
  const id = await sourceIdOf(database.writer, name);
  if (id === undefined) throw new Error('the source is there');
  await database.transaction(async (trx) => {
    await trx('item').insert({ source_id: id, identifier: 'oai:repo.example.org:1' });
    const item = (await trx('item').where({ source_id: id }).first('id')) as { id: number };
    for (const [index, { url, mediaType, length, hash }] of statements.entries()) {
      await trx('item_file').insert({
        item_id: item.id,
        origin: 'xoai',
        rank: 0,
        sequence: index + 1,
        source_id: id,
        url,
        name: 'article.pdf',
        media_type: mediaType ?? null,
        length: length ?? null,
        hash: hash ?? null,
      });
    }
    await storeUnasked(
      trx,
      id,
      statements.map(({ url }) => url),
      now,
    );
  });
  return { name, id };
}
