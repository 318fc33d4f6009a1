import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { BridgeError, describeError } from '../core/errors.ts';
import { checkSchema } from '../store/migrate.ts';
import type { ServerDeps } from './deps.ts';
import { notReadyStatus } from './errors.ts';

interface Check {
  readonly ok: boolean;
  readonly detail?: string;
}

interface Readiness {
  readonly ready: boolean;
  readonly checks: { readonly database: Check; readonly publication: Check };
  /** Named, but not held against us: what was published before is still served. */
  readonly sources: Readonly<Record<string, Check>>;
}

const patience = 5000;

export function healthRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const method = ['GET', 'HEAD'];
  app.route({
    method,
    url: '/livez',
    config: { operationId: 'getLiveness' },
    handler: async (_request, reply) => reply.header('cache-control', 'no-store').send('ok\n'),
  });
  app.route({
    method,
    url: '/readyz',
    config: { operationId: 'getReadiness' },
    handler: async (_request, reply) => {
      const readiness = await readReadiness(deps);
      if (!readiness.ready) reply.code(notReadyStatus);
      reply.header('cache-control', 'no-store').type('application/json; charset=utf-8');
      return `${JSON.stringify(readiness, null, 2)}\n`;
    },
  });
}

async function readReadiness(deps: ServerDeps): Promise<Readiness> {
  const sources: Record<string, Check> = {};
  const database = await check(async () => {
    await checkSchema(deps.database);
    for (const { name, healthy, state } of await deps.sources())
      sources[name] = { ok: healthy, detail: state };
  });
  const publication = await check(async () => {
    const sets = await deps.publication.sets();
    if (sets.length === 0) throw new BridgeError('not-found', 'nothing is published yet');
  });
  return { ready: database.ok && publication.ok, checks: { database, publication }, sources };
}

/** A check that hangs has failed: a monitor waits no longer than we do. */
async function check(work: () => Promise<void>): Promise<Check> {
  const answered = new AbortController();
  const timeout = setTimeout(patience, undefined, { signal: answered.signal }).then(
    () =>
      Promise.reject(new BridgeError('database-unavailable', `no answer within ${patience / 1000} seconds`)),
    () => undefined,
  );
  try {
    await Promise.race([work(), timeout]);
    return { ok: true };
  } catch (error) {
    // A BridgeError is worded for people; the causes below it may name hosts and files.
    return {
      ok: false,
      detail: error instanceof BridgeError ? error.message : describeError(error).slice(0, 200),
    };
  } finally {
    answered.abort();
  }
}
