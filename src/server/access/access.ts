import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listHistories } from '../../store/history/timelines.ts';
import type { ServerDeps } from '../deps.ts';
import { varyBy } from '../http/negotiation.ts';
import { admit, isSheltered } from '../privacy.ts';
import { createAskedFor, type Place, within } from './asked-for.ts';
import { checkToken, judge, readSecret } from './token.ts';

/**
 * Lets nobody to what is private but those who have a token for it. It comes before everything that looks at what is
 * there, so that what is there and what is not have the same answer; what answers without the router asks `isOpen`.
 */
export function installAccess(app: FastifyInstance, deps: ServerDeps): void {
  const { privacy } = deps;
  if (!privacy) return;
  const askedFor = createAskedFor(deps.baseUrl, privacy);
  app.addHook('onRequest', (request, reply, done) => {
    // What a browser asks before it asks tells of nothing.
    if (request.method === 'OPTIONS') return done();
    const { places, foreign } = askedFor(request);
    const isForeign = foreign.length > 0 && readSecret(request) !== undefined;
    if (!isForeign && places.every(({ source }) => privacy.of(source) === undefined)) return done();
    letIn(deps, request, places, isForeign ? foreign : []).then(() => {
      const instead = within.test(request.url) ? undefined : places[0]?.instead;
      if (instead === undefined) done();
      else reply.redirect(`${deps.baseUrl}/${instead}`, 308);
    }, done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isSheltered(request)) shelter(reply);
    done(null, payload);
  });
}

async function letIn(
  deps: ServerDeps,
  request: FastifyRequest,
  places: readonly Place[],
  foreign: readonly string[],
): Promise<void> {
  for (const place of places) {
    const { source } = place;
    const parts = await deps.privacy?.of(source);
    if (!parts) continue;
    admit(request, undefined);
    await checkToken(deps, request, place, parts);
    admit(request, source);
  }
  for (const path of foreign) await letInto(deps, request, path);
}

/** The address of somebody else's file is below no source of ours: without a token nothing is known of it. */
async function letInto(deps: ServerDeps, request: FastifyRequest, path: string): Promise<void> {
  const secret = readSecret(request);
  if (secret === undefined) return;
  for (const { source } of await listHistories(deps.database.reader, path)) {
    const parts = await deps.privacy?.of(source);
    if (parts && (await judge(deps, secret, { source, path: undefined }, parts)) === 'opens')
      admit(request, source);
  }
}

/** No cache hands it to somebody else (RFC 9111 §3.5), and no search engine names it. */
function shelter(reply: FastifyReply): void {
  const said = String(reply.getHeader('cache-control') ?? 'no-cache');
  const directives = said.split(/ *, */).filter((one) => one !== 'public' && one !== '');
  const isKept = directives.includes('private');
  reply.header('cache-control', (isKept ? directives : ['private', ...directives]).join(', '));
  reply.header('x-robots-tag', 'noindex');
  varyBy(reply, 'Authorization');
}
