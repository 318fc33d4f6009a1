import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { ofSource, sameSource, sourceIdOf } from '../rows/one-source.ts';
import { type DescriptionRow, descriptionColumns } from './candidates.ts';
import { type NamedItem, nameItems } from './search.ts';

/** What the items of some resources are called, by the paths of these; those that nobody has described yet are left out. */
export async function namesOfResources(
  db: Queryable,
  source: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, NamedItem>> {
  const sourceId = paths.length === 0 ? undefined : await sourceIdOf(db, source);
  if (sourceId === undefined) return new Map();
  const rows: (DescriptionRow & { path: string })[] = await db('resource')
    .join('description', (on) =>
      on.on('description.source_id', 'resource.source_id').andOn('description.item_id', 'resource.item_id'),
    )
    .modify((query) => whereAnyOf(query, 'resource.path', paths))
    .where('resource.source_id', sourceId)
    .modify(sameSource, 'description', 'resource')
    .modify(ofSource, 'description', sourceId)
    .select(...descriptionColumns, 'resource.path');
  const named = await nameItems(db, rows);
  return new Map(
    rows.flatMap(({ path, item_id }) => {
      const item = named.get(Number(item_id));
      return item ? [[path, item] as const] : [];
    }),
  );
}
