import { isAbsolute } from '../../core/uris.ts';
import type { ServerDeps } from '../deps.ts';
import type { Past } from '../past.ts';
import { createOriginalReader } from './original.ts';
import { findResourcePast } from './resource-past.ts';

/** @returns undefined for what was never ours */
export type FindPast = (uri: string) => Promise<Past | undefined>;

const isResource = /^[^/]+\/items\//;

export function createFindPast(deps: ServerDeps): FindPast {
  const read = createOriginalReader(deps.baseUrl);
  return async (uri) => {
    for (const path of read(uri)) {
      const source = isAbsolute(path) ? undefined : path.split('/', 1)[0];
      const isSite = source === undefined || source.startsWith('.') || !path.includes('/');
      if (!isSite && deps.servesSource && !(await deps.servesSource(source))) continue;
      const past =
        isAbsolute(path) || isResource.test(path)
          ? await findResourcePast(deps, path)
          : await deps.documentPasts?.(path);
      if (past) return past;
    }
    return undefined;
  };
}
