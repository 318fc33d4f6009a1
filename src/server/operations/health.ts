import { setTimeout } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { BridgeError, failure, isBridgeError } from '../../core/errors.ts';
import { translate } from '../../store/engine/storage-error.ts';
import { checkSchema } from '../../store/schema/migrate.ts';
import type { ServerDeps } from '../deps.ts';
import { notReadyStatus } from '../http/errors.ts';
import { publishedSets } from '../pages/set-view.ts';

interface Check {
  readonly ok: boolean;
  readonly detail?: string;
}

interface SourceCheck extends Check {
  /** Its first harvest is not over. */
  readonly harvesting?: true;
}

interface Readiness {
  readonly ready: boolean;
  readonly checks: { readonly database: Check; readonly publication: Check };
  /** Named, but not held against us: what was published before is still served. */
  readonly sources: Readonly<Record<string, SourceCheck>>;
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
    handler: async (request, reply) => {
      const readiness = await readReadiness(deps, request.log);
      if (!readiness.ready) reply.code(notReadyStatus);
      reply.header('cache-control', 'no-store').type('application/json; charset=utf-8');
      return `${JSON.stringify(readiness, null, 2)}\n`;
    },
  });
}

async function readReadiness(deps: ServerDeps, log: FastifyBaseLogger): Promise<Readiness> {
  const sources: Record<string, SourceCheck> = {};
  const database = await check(log, async () => {
    await checkSchema(deps.database);
    for (const { name, healthy, harvesting, state } of await deps.sources())
      sources[name] = { ok: healthy, ...(harvesting && { harvesting }), detail: state };
  });
  const publication = await check(log, async () => {
    const sets = await publishedSets(deps);
    if (sets.length > 0) return;
    const isFirst = Object.values(sources).some(({ ok, harvesting }) => ok && harvesting);
    const why = isFirst ? ': the first harvest has not finished' : '';
    throw new BridgeError('not-found', `nothing is published yet${why}`);
  });
  return { ready: database.ok && publication.ok, checks: { database, publication }, sources };
}

/** A check that hangs has failed: a monitor waits no longer than we do. */
async function check(log: FastifyBaseLogger, work: () => Promise<void>): Promise<Check> {
  const answered = new AbortController();
  const timeout = setTimeout(patience, undefined, { signal: answered.signal }).then(
    () =>
      Promise.reject(new BridgeError('database-unavailable', `no answer within ${patience / 1000} seconds`)),
    () => undefined,
  );
  try {
    await Promise.race([work(), timeout]);
    return { ok: true };
  } catch (thrown) {
    const error = translate(thrown);
    if (isBridgeError(error)) return { ok: false, detail: error.message };
    // Not worded for strangers: it may name hosts and files.
    log.warn({ ...failure(error), err: error }, 'a readiness check failed');
    return { ok: false, detail: 'failed; the log says why' };
  } finally {
    answered.abort();
  }
}
