import type { NamedSet } from '../../oai/lists.ts';
import { toJointSpec } from '../../oai/sets/joint-set-spec.ts';
import type { Queryable } from '../engine/database.ts';
import { type ListedSets, listSets } from './listed-sets.ts';

/** A source as a set of all of them. */
export interface SourceSet {
  readonly sourceId: number;
  readonly source: string;
  /** For people. */
  readonly title: string;
}

/**
 * Sources, each followed by its own sets.
 * @param sources in the order of their names
 * @param after `ListedSets.next`: the name of a source, or that of one, a slash and a collection of it
 */
export async function listJointSets(
  db: Queryable,
  sources: readonly SourceSet[],
  after: string,
  limit: number,
): Promise<ListedSets> {
  const slash = after.indexOf('/');
  const [first, collection] = slash < 0 ? [after, ''] : [after.slice(0, slash), after.slice(slash + 1)];
  const sets: NamedSet[] = [];
  for (const { sourceId, source, title } of sources) {
    if (source < first) continue;
    const isBegun = source === first && after !== '';
    if (!isBegun && sets.length >= limit) return { sets, next: source };
    if (!isBegun || slash < 0) sets.push({ spec: source, name: title });
    const own = await listSets(db, sourceId, isBegun ? collection : '', Math.max(1, limit - sets.length));
    for (const { spec, name } of own.sets)
      sets.push({ spec: toJointSpec(source, spec), name: `${title}: ${name}` });
    if (own.next !== undefined) return { sets, next: `${source}/${own.next}` };
  }
  return { sets, next: undefined };
}
