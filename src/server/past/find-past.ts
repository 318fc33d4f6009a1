import type { FastifyRequest } from 'fastify';
import { isAbsolute } from '../../core/uris.ts';
import type { ServerDeps } from '../deps.ts';
import type { Past } from '../past.ts';
import { mayRead } from '../privacy.ts';
import { createOriginalReader } from './original.ts';
import { findResourcePast } from './resource-past.ts';

/** @returns undefined for what was never ours, and for what is not for whoever asks */
export type FindPast = (uri: string, request: FastifyRequest) => Promise<Past | undefined>;

const isResource = /^[^/]+\/items\//;

export function createFindPast(deps: ServerDeps): FindPast {
  const read = createOriginalReader(deps.baseUrl);
  return async (uri, request) => {
    for (const path of read(uri)) {
      const source = isAbsolute(path) ? undefined : path.split('/', 1)[0];
      const isSite = source === undefined || source.startsWith('.') || !path.includes('/');
      if (!isSite && deps.servesSource && !(await deps.servesSource(source))) continue;
      const reads = (name: string) => mayRead(deps, request, name);
      // What is private does not come as far as this without a token (`access/access.ts`), however it is written.
      if (!isSite && !(await reads(source))) continue;
      const past =
        isAbsolute(path) || isResource.test(path)
          ? await findResourcePast(deps, path, reads)
          : await deps.documentPasts?.(path);
      if (past) return past;
    }
    return undefined;
  };
}
