import type { NamedSet } from '../../oai/lists.ts';
import { isSetSpec } from '../../oai/protocol.ts';
import { ancestorsOf, toSetSpec } from '../../oai/sets/set-spec.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { question } from '../engine/question.ts';

/** Some sets of a list of them. */
export interface ListedSets {
  readonly sets: readonly NamedSet[];
  /** Where the next ones begin; undefined: these are the last. */
  readonly next: string | undefined;
}

interface CollectionRow {
  readonly spec: string;
  readonly name: string;
}

/**
 * The collections of a source in the order of the database, and what is above them without being a collection itself: once,
 * before the first that is below it. What an answer costs grows with what is in it, not with all sets that there are.
 * @param after the collection that came last; empty: from the first
 */
export async function listSets(
  db: Queryable,
  sourceId: number,
  after: string,
  limit: number,
): Promise<ListedSets> {
  const rows: CollectionRow[] = await db('collection')
    .where({ source_id: sourceId })
    .where('spec', '>', after)
    .orderBy('spec')
    .limit(limit + 1)
    .select('spec', 'name');
  const shown = rows.slice(0, limit);
  const above = await unlisted(db, sourceId, after, shown);
  const sets = new Map<string, string>();
  for (const { spec, name } of shown) {
    for (const ancestor of [...ancestorsIn(spec)].reverse())
      if (above.has(ancestor) && !sets.has(ancestor)) sets.set(ancestor, ancestor);
    sets.set(toSetSpec(spec), name || spec);
  }
  return {
    sets: [...sets].map(([spec, name]) => ({ spec, name })),
    next: rows.length > limit ? shown.at(-1)?.spec : undefined,
  };
}

/** What is above these collections, is none itself, and was not told of on a page before. */
async function unlisted(
  db: Queryable,
  sourceId: number,
  after: string,
  shown: readonly CollectionRow[],
): Promise<ReadonlySet<string>> {
  const above = new Set(shown.flatMap(({ spec }) => ancestorsIn(spec)));
  // Those that are next to one another in the list have it in common.
  for (const told of ancestorsIn(after)) above.delete(told);
  if (above.size === 0) return above;
  const own: { spec: string }[] = await db('collection')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'spec', [...above]))
    .select('spec');
  for (const { spec } of own) above.delete(spec);
  return above;
}

function ancestorsIn(spec: string): readonly string[] {
  return isSetSpec(spec) ? ancestorsOf(spec) : [];
}

const anyCollection = question<{ id: number }, [sourceId: number]>(1, (db, sourceId) =>
  db('collection').select('id').where({ source_id: sourceId }).limit(1),
);

export async function sourceHasSets(db: Queryable, sourceId: number): Promise<boolean> {
  return (await anyCollection(db, sourceId)).length > 0;
}
