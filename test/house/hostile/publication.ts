import type { Link } from '../../../src/core/resource.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { withLinks } from '../../../src/store/rows/link-forms.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import { readBlobs } from '../store/read-blob.ts';
import { meaningOf } from './meaning.ts';

/** What is published, or should be: by path, a document's meaning and the collections it is in. */
export type Publication = ReadonlyMap<string, string>;

/** The living metadata resources of a source, as they are stored. */
export async function readPublication({ reader }: Database, name: string): Promise<Publication> {
  const source = await findSource(reader, name);
  const rows: { path: string; hash: string; links: string }[] = await reader('resource')
    .where({ source_id: source?.id ?? 0, kind: 'metadata' })
    .whereNull('deleted_at')
    .select('path', 'hash', 'links');
  await withLinks(reader, rows, ['links']);
  const contentOf = await readBlobs(
    reader,
    rows.map(({ hash }) => hash),
  );
  const found = new Map<string, string>();
  for (const { path, hash, links } of rows) {
    const content = contentOf(hash);
    const collections = (JSON.parse(links) as Link[]).filter(({ rel }) => rel === 'collection');
    const meaning = content === undefined ? `no content ${hash}` : meaningOf(content);
    const hrefs = collections.map(({ href }) => href);
    found.set(path, publishedAs(meaning, hrefs));
  }
  return found;
}

export function publishedAs(meaning: string, collections: readonly string[]): string {
  return `${meaning}\n${[...collections].sort().join(' ')}`;
}

/** The changes that lead from one publication to another. */
export function* difference(before: Publication, after: Publication): Generator<string> {
  for (const [path, meaning] of after) {
    if (!before.has(path)) yield `created ${path}`;
    else if (before.get(path) !== meaning) yield `updated ${path}`;
  }
  for (const path of before.keys()) if (!after.has(path)) yield `deleted ${path}`;
}
