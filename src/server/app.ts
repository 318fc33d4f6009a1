import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { aboutRoutes } from './about.ts';
import { createRewrite } from './base-path.ts';
import { collectionRoutes } from './collections.ts';
import { createConnections } from './connections.ts';
import type { ServerDeps } from './deps.ts';
import { documentStylesheetRoutes } from './document-stylesheet.ts';
import { documentRoutes } from './documents.ts';
import { installErrors, sendProblem } from './errors.ts';
import { healthRoutes } from './health.ts';
import { homeRoutes } from './home.ts';
import { itemRoutes } from './items.ts';
import { linksetRoutes } from './linksets.ts';
import { mementoRoutes } from './memento/memento.ts';
import { timeGateRoutes } from './memento/time-gate.ts';
import { timeMapRoutes } from './memento/time-map.ts';
import { metricsRoutes } from './metrics.ts';
import { patchRoutes } from './patches.ts';
import { createRareLog } from './rare-log.ts';
import { refuseClient } from './refuse-client.ts';
import { installRequestHooks, setCommonHeaders } from './request-hooks.ts';
import { installRequestLog, RequestLog } from './request-log.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { resourceRoutes } from './resources.ts';
import { robotsRoutes } from './robots.ts';
import { installServedSources } from './served-sources.ts';

/** Builds the server; listening, and closing it, is the caller's. */
export function createApp(given: ServerDeps): FastifyInstance {
  const deps = { ...given, baseUrl: given.baseUrl.replace(/\/+$/, ''), sources: () => given.sources() };
  const connections = createConnections(given.connections ?? {}, () => slowReaders.note());
  const app = Fastify({
    ...('child' in deps.log ? { loggerInstance: deps.log as FastifyBaseLogger } : { logger: deps.log }),
    logController: new RequestLog(),
    rewriteUrl: createRewrite(deps.baseUrl),
    routerOptions: { maxParamLength: 1024 },
    exposeHeadRoutes: false,
    serverFactory: (listener) => connections.createServer(listener, (what) => refused.note(what)),
    bodyLimit: 1024,
    clientErrorHandler: (error, socket) => refuseClient(error, socket, connections.isBusy(socket)),
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(deps, request, reply);
      void sendProblem(deps, error, request, reply);
    },
    // What arrives on an open connection while we close is still answered, with `Connection: close`.
    return503OnClosing: false,
  });
  const slowReaders = createRareLog((fields) =>
    app.log.info(fields, 'answers ended because they were read more slowly than `listen.minBytesPerSecond`'),
  );
  const refused = createRareLog((fields) =>
    app.log.error({ code: 'too-many-files', ...fields }, 'connections were closed: there are too many'),
  );
  const metrics = createRequestMetrics();
  installErrors(app, deps);
  installRequestHooks(app, deps, metrics);
  installServedSources(app, deps);
  installRequestLog(app);
  app.addHook('preClose', async () => connections.drain());
  homeRoutes(app, deps);
  aboutRoutes(app, deps);
  collectionRoutes(app, deps);
  itemRoutes(app, deps);
  linksetRoutes(app, deps);
  patchRoutes(app, deps);
  resourceRoutes(app, deps);
  timeGateRoutes(app, deps);
  mementoRoutes(app, deps);
  timeMapRoutes(app, deps);
  documentStylesheetRoutes(app, deps);
  robotsRoutes(app, deps);
  healthRoutes(app, deps);
  metricsRoutes(app, deps, metrics);
  documentRoutes(app, deps);
  return app;
}
