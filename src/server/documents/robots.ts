import type { FastifyInstance } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { publishedSets } from '../pages/set-view.ts';

/** One `Sitemap:` per set, Resource Lists only (RS-DISC-09…12); nobody is kept out. */
export function robotsRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/robots.txt',
    config: { operationId: 'getRobots' },
    handler: async (_request, reply) => {
      const lists = deps.robots ? await resourceLists(deps) : [];
      reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache');
      return ['User-agent: *', 'Disallow:', ...lists.map((uri) => `Sitemap: ${uri}`), ''].join('\n');
    },
  });
}

async function resourceLists(deps: ServerDeps): Promise<readonly string[]> {
  const sets = await publishedSets(deps);
  return sets.flatMap(({ path, documents }) =>
    documents.some((document) => document.path === `${path}/resourcelist.xml`)
      ? [`${deps.baseUrl}/${path}/resourcelist.xml`]
      : [],
  );
}
