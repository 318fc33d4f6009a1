import type { FastifyInstance } from 'fastify';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { bodyLimit, installGuard } from '../admin/guard/guard.ts';
import { installIdempotency } from '../admin/guard/idempotency.ts';
import type { EventHub } from '../admin/live/event-hub.ts';
import type { ServerDeps } from '../deps.ts';
import { accessApiRoutes } from './access-routes.ts';
import { activityRoutes } from './activity-routes.ts';
import { draftRoutes } from './draft-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { historyRoutes } from './history-routes.ts';
import { installationRoutes } from './installation-routes.ts';
import { keptSourceRoutes } from './kept-source-routes.ts';
import { logRoutes } from './log-routes.ts';
import { problemRoutes } from './problem-routes.ts';
import { sourceRoutes } from './source-routes.ts';
import { subscriptionRoutes } from './subscription-routes.ts';
import { takedownRoutes } from './takedown-routes.ts';
import { taskRoutes } from './task-routes.ts';

/** The dashboard for programs: JSON in, JSON out, with a token or a session. */
export function apiRoutes(app: FastifyInstance, deps: ServerDeps, hub: EventHub): void {
  const { admin } = deps;
  if (!admin) return;
  const own: AdminServer = { ...deps, admin };
  app.register(async (api) => {
    api.addHook('onRoute', (route) => {
      route.bodyLimit ??= bodyLimit;
    });
    api.removeContentTypeParser('text/plain');
    installGuard(api, own, 'api');
    installIdempotency(api, own);
    sourceRoutes(api, own);
    historyRoutes(api, own);
    draftRoutes(api, own);
    keptSourceRoutes(api, own);
    taskRoutes(api, own);
    problemRoutes(api, own);
    subscriptionRoutes(api, own);
    takedownRoutes(api, own);
    installationRoutes(api, own);
    accessApiRoutes(api, own);
    logRoutes(api, own);
    activityRoutes(api, own);
    eventRoutes(api, own, hub);
  });
}
