import type { FastifyInstance } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { publishedSets } from '../pages/set-view.ts';

/** Of more sources only the sets across them are named: who reads robots.txt reads little of it. */
const mostSources = 500;

/** One `Sitemap:` per set, Resource Lists only (RS-DISC-09…12); what is published is kept from nobody. */
export function robotsRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/robots.txt',
    config: { operationId: 'getRobots' },
    handler: async (_request, reply) => {
      const lists = deps.robots ? await resourceLists(deps) : [];
      reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache');
      const base = new URL(deps.baseUrl).pathname.replace(/\/+$/, '');
      const kept = deps.admin ? [`Disallow: ${base}/admin`, `Disallow: ${base}/api/v1`] : ['Disallow:'];
      return ['User-agent: *', ...kept, ...lists, ''].join('\n');
    },
  });
}

async function resourceLists(deps: ServerDeps): Promise<readonly string[]> {
  const sets = await publishedSets(deps);
  const joint = new Set(deps.jointSets?.().map(({ path }) => path));
  const sources = new Set(sets.flatMap(({ path }) => (joint.has(path) ? [] : [path.split('/', 1)[0]])));
  const some = sources.size > mostSources ? sets.filter(({ path }) => joint.has(path)) : sets;
  const lines = some.flatMap(({ path, documents }) =>
    documents.some((document) => document.path === `${path}/resourcelist.xml`)
      ? [`Sitemap: ${deps.baseUrl}/${path}/resourcelist.xml`]
      : [],
  );
  const rest = `# the Resource Lists of ${sources.size} sources: ${deps.baseUrl}/.well-known/resourcesync`;
  return some === sets ? lines : [...lines, rest];
}
