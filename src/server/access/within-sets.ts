import { covers, type ResourceSet } from '../../core/resource-set.ts';
import { findItemAt } from '../../store/reading/items.ts';
import { findWithMetadata, type StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { isServedPath } from '../http/base-path.ts';

const item = /^[^/]+\/items\/([^/]+)(?:\/linkset(?:\.json)?)?$/;
const resource = /^[^/]+\/items\/./;

/**
 * Whether all that is at a path is in one of some sets of its source: what is not there is in none. Of an item and its link
 * sets, that is whether all of its resources are.
 */
export async function isWithin(
  { database }: Pick<ServerDeps, 'database'>,
  path: string,
  sets: readonly ResourceSet[],
): Promise<boolean> {
  if (!isServedPath(`/${path}`)) return false;
  if (sets.some((set) => path === set.path || path.startsWith(`${set.path}/`))) return true;
  if (!resource.test(path)) return false;
  const isIn = (one: StoredResource) => sets.some(({ filter, source }) => covers(filter, one, source));
  const [, segment] = item.exec(path) ?? [];
  if (segment !== undefined) {
    const [source = ''] = path.split('/', 1);
    const all = (await findItemAt(database.reader, source, segment))?.resources ?? [];
    return all.length > 0 && all.every(isIn);
  }
  const found = await findWithMetadata(database.reader, path);
  return found !== undefined && isIn(found.resource);
}
