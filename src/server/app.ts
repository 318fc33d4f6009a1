import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { installAccess } from './access/access.ts';
import { openDeps } from './access/open-deps.ts';
import { adminRoutes } from './admin/admin.ts';
import { createEventHub } from './admin/live/event-hub.ts';
import { apiRoutes } from './api/api.ts';
import { createConnections } from './connections/connections.ts';
import type { ServerDeps } from './deps.ts';
import { createDirectWay } from './direct/direct-way.ts';
import { documentRoutes } from './documents/documents.ts';
import { robotsRoutes } from './documents/robots.ts';
import { callbackRoutes } from './following/callback-routes.ts';
import { createRewrite } from './http/base-path.ts';
import { documentStylesheetRoutes } from './http/document-stylesheet.ts';
import { installErrors, sendProblem } from './http/errors.ts';
import { refuseClient } from './http/refuse-client.ts';
import { installServedSources } from './http/served-sources.ts';
import { inboxReading } from './inbox/inbox-reading.ts';
import { inboxRoutes } from './inbox/inbox-routes.ts';
import { collectionRoutes } from './items/collections.ts';
import { itemRoutes } from './items/items.ts';
import { linksetRoutes } from './items/linksets.ts';
import { resourceMapRoutes } from './items/resource-maps.ts';
import { mementoRoutes } from './memento/memento.ts';
import { timeGateRoutes } from './memento/time-gate.ts';
import { timeMapRoutes } from './memento/time-map.ts';
import { oaiRoutes } from './oai/oai-routes.ts';
import { openapiRoutes } from './openapi/openapi-routes.ts';
import { schemasWhenAsked } from './openapi/schemas-when-asked.ts';
import { healthRoutes } from './operations/health.ts';
import { metricsRoutes } from './operations/metrics.ts';
import { createRareLog } from './operations/rare-log.ts';
import { installRequestHooks, setCommonHeaders } from './operations/request-hooks.ts';
import {
  describeAnswer,
  installRequestLog,
  isHeard,
  RequestLog,
  slowMilliseconds,
} from './operations/request-log.ts';
import { aboutRoutes } from './pages/about.ts';
import { homeRoutes } from './pages/home.ts';
import { createSetIndex } from './pages/set-index.ts';
import { channelRoutes } from './push/channel.ts';
import { hubRoutes } from './push/hub.ts';
import { createShortWay } from './repeated/repeated-answers.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { patchRoutes } from './resources/patches.ts';
import { resourceRoutes } from './resources/resources.ts';
import { searchRoutes } from './search/search.ts';
import { sharedRoutes } from './shared/shared.ts';

/**
 * Builds the server; listening, and closing it, is the caller's.
 * @param scope `operations`: it says how it is doing, and nothing else; `admin`: that, and the dashboard
 */
export function createApp(given: ServerDeps, scope: 'all' | 'operations' | 'admin' = 'all'): FastifyInstance {
  const deps = { ...given, baseUrl: given.baseUrl.replace(/\/+$/, ''), sources: () => given.sources() };
  const metrics = deps.requestMetrics ?? createRequestMetrics();
  let isClosing = false;
  const shortWay = createShortWay({
    ...(scope === 'all' && { direct: createDirectWay(deps) }),
    // Whoever is to admit each request, or reads of each in the log, has them all.
    isClosed: () => isClosing || deps.admit !== undefined || isHeard(app.log),
    answered: ({ target: url, method }, { status, grounds: { operationId } }, milliseconds) => {
      metrics.observe(operationId, status, milliseconds / 1000);
      if (milliseconds > slowMilliseconds) {
        app.log.info(describeAnswer({ method, url, operationId, status, milliseconds }), 'slow answer');
      }
    },
  });
  const settings = { ...given.connections, shortWay: shortWay.take, plainWay: shortWay.takePlain };
  const connections = createConnections(settings, () => slowReaders.note());
  const app = Fastify({
    ...('child' in deps.log ? { loggerInstance: deps.log as FastifyBaseLogger } : { logger: deps.log }),
    logController: new RequestLog(),
    rewriteUrl: createRewrite(deps.baseUrl),
    routerOptions: { maxParamLength: 1024 },
    exposeHeadRoutes: false,
    schemaController: schemasWhenAsked(),
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
  installErrors(app, deps);
  const { asOne } = deps.database.answers;
  if (asOne) app.addHook('onRequest', (_request, _reply, done) => asOne(done));
  installRequestHooks(app, deps, metrics);
  installAccess(app, deps);
  installServedSources(app, deps);
  installRequestLog(app);
  app.addHook('preClose', async () => {
    isClosing = true;
    connections.drain();
  });
  if (scope !== 'operations') openapiRoutes(app, deps);
  const open = openDeps(deps);
  // At a port of their own they speak to those who run the bridge.
  const told = scope === 'all' ? open : deps;
  healthRoutes(app, told);
  if (deps.metrics !== 'elsewhere') metricsRoutes(app, { open: told, all: deps }, metrics);
  if (scope === 'operations') return app;
  const hub = createEventHub(app);
  adminRoutes(app, deps, hub);
  apiRoutes(app, deps, hub);
  inboxReading(app, deps);
  if (scope === 'admin') return app;
  const index = createSetIndex(open);
  homeRoutes(app, open, index);
  aboutRoutes(app, { open, all: deps }, index);
  searchRoutes(app, deps);
  oaiRoutes(app, deps);
  sharedRoutes(app, deps);
  inboxRoutes(app, deps);
  callbackRoutes(app, deps);
  collectionRoutes(app, deps);
  itemRoutes(app, deps);
  linksetRoutes(app, deps);
  resourceMapRoutes(app, deps);
  patchRoutes(app, deps);
  resourceRoutes(app, deps);
  timeGateRoutes(app, deps);
  mementoRoutes(app, deps);
  timeMapRoutes(app, deps);
  documentStylesheetRoutes(app, deps);
  robotsRoutes(app, open);
  hubRoutes(app, deps);
  channelRoutes(app, deps);
  documentRoutes(app, deps);
  return app;
}
