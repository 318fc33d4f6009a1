import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { servedPath } from './base-path.ts';
import { Refusal } from './errors.ts';

/**
 * Nothing of a source that is not configured any more is served, at whatever address; what was removed says so itself.
 * `past/find-past.ts` asks the same of the addresses within addresses.
 */
export function installServedSources(app: FastifyInstance, deps: ServerDeps): void {
  const { servesSource } = deps;
  if (!servesSource) return;
  app.addHook('preHandler', async (request) => {
    const source = sourceOf(request);
    if (source === undefined || (await servesSource(source))) return;
    throw new Refusal('not-found', 'there is nothing at this address');
  });
}

function sourceOf(request: FastifyRequest): string | undefined {
  const { source } = (request.params ?? {}) as { source?: unknown };
  if (typeof source === 'string') return source;
  if (request.routeOptions.config?.operationId !== 'getDocument') return undefined;
  const [first = '', ...rest] = servedPath(request)?.split('/') ?? [];
  return rest.length === 0 || first.startsWith('.') ? undefined : first;
}
