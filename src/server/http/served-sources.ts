import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { servedPath } from './base-path.ts';
import { refuse } from './errors.ts';

/**
 * Nothing of a source that is not configured any more is served, at whatever address; what was removed says so itself.
 * `past/find-past.ts` asks the same of the addresses within addresses.
 */
export function installServedSources(app: FastifyInstance, deps: ServerDeps): void {
  const { servesSource } = deps;
  if (!servesSource) return;
  const decide = (isServed: boolean) => (isServed ? undefined : refuse('not-found', 'nothing-here', {}));
  app.addHook('preHandler', (request, _reply, done) => {
    const source = sourceOf(request);
    const isServed = source === undefined || servesSource(source);
    // Of a source that is configured nobody has to be asked.
    if (typeof isServed === 'boolean') done(decide(isServed));
    else isServed.then((known) => done(decide(known)), done);
  });
}

function sourceOf(request: FastifyRequest): string | undefined {
  const { source } = (request.params ?? {}) as { source?: unknown };
  if (typeof source === 'string') return source;
  if (request.routeOptions.config?.operationId !== 'getDocument') return undefined;
  return sourceOfDocument(servedPath(request) ?? '');
}

/** @returns undefined for what is of no source */
export function sourceOfDocument(path: string): string | undefined {
  const [first = '', ...rest] = path.split('/');
  return rest.length === 0 || first.startsWith('.') ? undefined : first;
}
