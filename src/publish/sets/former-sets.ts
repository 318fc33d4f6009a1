import { join } from 'node:path';
import { isInAny } from '../../core/access/private-sets.ts';
import { filterOf, type ResourceSet } from '../../core/resource-set.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { privateCollections } from '../../store/removal/private-items.ts';
import { listKnownSources } from '../../store/removal/removed-sources.ts';
import { readPointer } from '../disk/pointer.ts';

/**
 * What becomes of a set that was published and is no set of the configuration: it is served for those who follow a source that
 * was removed; remembered, as its source may be removed, or come back; or forgotten.
 */
export type Fate = 'served' | 'remembered' | 'forgotten';

/**
 * The database is asked with the first path, when nobody else writes what it is asked for: read earlier, a source that is being removed
 * would not be known as such.
 * @param sets all of the configuration
 */
export function fateOfFormer(
  db: Queryable,
  root: string,
  sets: readonly ResourceSet[],
): (path: string) => Promise<Fate> {
  let asked: ReturnType<typeof formerSources> | undefined;
  return async (path) => {
    asked ??= formerSources(db, sets);
    const [source = path] = path.split('/', 1);
    const fate = (await asked).get(source);
    if (fate === undefined || (await isPrivate(db, root, path, source))) return 'forgotten';
    return fate;
  };
}

async function formerSources(
  db: Queryable,
  sets: readonly ResourceSet[],
): Promise<ReadonlyMap<string, Fate>> {
  const configured = new Set(sets.map(({ source }) => source));
  const former = (await listKnownSources(db)).filter(({ name }) => !configured.has(name));
  return new Map(
    former.map(({ name, removedAt }) => [name, removedAt === undefined ? 'remembered' : 'served']),
  );
}

/** Whether a set had become private before its source left: then it is not for everybody, whatever was published of it. */
async function isPrivate(db: Queryable, root: string, path: string, source: string): Promise<boolean> {
  const hidden = await privateCollections(db, source);
  if (hidden.length === 0) return false;
  const definition = (await readPointer(join(root, ...path.split('/'))))?.definition;
  return definition !== undefined && isInAny(filterOf(definition).collections ?? [], hidden);
}
