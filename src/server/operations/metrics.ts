import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { toMilliseconds } from '../../core/datetime.ts';
import { failure } from '../../core/errors.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import type { ServerDeps, SourceOverview } from '../deps.ts';
import { currentDocuments, publishedSets } from '../pages/set-view.ts';
import type { RequestMetrics } from './request-metrics.ts';

/**
 * `/metrics` in the Prometheus text format. Every label has a bounded set of values. What is said of sources and documents
 * is rendered once for each answer of those who look at them, however often it is asked for.
 */
export function metricsRoutes(app: FastifyInstance, deps: ServerDeps, requests: RequestMetrics): void {
  const ofProcess = processMetrics(deps.version);
  const ofSources = remembered((sources: readonly SourceOverview[]) => sourceMetrics(sources).metrics());
  const ofDocuments = remembered((sets: readonly PublishedSet[]) => documentMetrics(sets).metrics());
  app.addHook('onClose', async () => ofProcess.clear());
  app.route({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    config: { operationId: 'getMetrics' },
    handler: async (request, reply) => {
      const [sources, sets] = await Promise.allSettled([deps.sources(), publishedSets(deps)]);
      for (const { status, ...result } of [sources, sets]) {
        // The process is measured even while its database is not there.
        if (status === 'rejected')
          request.log.warn(
            { ...failure((result as PromiseRejectedResult).reason) },
            'metrics are incomplete',
          );
      }
      reply.type(ofProcess.contentType).header('cache-control', 'no-store');
      const parts = await Promise.all([
        ofProcess.metrics(),
        requests.registry.metrics(),
        ...(sources.status === 'fulfilled' ? [ofSources(sources.value)] : []),
        ...(sets.status === 'fulfilled' ? [ofDocuments(sets.value)] : []),
      ]);
      return Buffer.from(parts.join(''), 'utf8');
    },
  });
}

/** The last result, as long as it is asked of the same object. */
function remembered<Given extends object, Result>(work: (given: Given) => Result): (given: Given) => Result {
  let last: { readonly given: Given; readonly result: Result } | undefined;
  return (given) => {
    if (last?.given !== given) last = { given, result: work(given) };
    return last.result;
  };
}

function processMetrics(version: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  gauge(registry, 'rsbridge_info', 'The version that is running.', ['version']).set({ version }, 1);
  new Gauge({
    name: 'rsbridge_uptime_seconds',
    help: 'Since the process began.',
    registers: [registry],
    collect() {
      this.set(process.uptime());
    },
  });
  return registry;
}

function sourceMetrics(sources: readonly SourceOverview[]): Registry {
  const registry = new Registry();
  const add = (name: string, help: string, pick: (source: SourceOverview) => number | undefined) => {
    const metric = gauge(registry, name, help, ['source']);
    for (const source of sources) {
      const value = pick(source);
      if (value !== undefined) metric.set({ source: source.name }, value);
    }
  };
  add('rsbridge_items', 'Items the upstream has.', ({ items }) => items);
  add('rsbridge_resources', 'Living resources.', ({ resources }) => resources);
  add('rsbridge_recent_changes', 'Changes in the last 24 hours.', ({ recentChanges }) => recentChanges);
  add('rsbridge_source_healthy', '1 while nothing needs attention.', ({ healthy }) => Number(healthy));
  add(
    'rsbridge_last_success_timestamp_seconds',
    'When the last successful harvest ended.',
    ({ lastSuccessAt }) => (lastSuccessAt === undefined ? undefined : toMilliseconds(lastSuccessAt) / 1000),
  );
  return registry;
}

function documentMetrics(sets: readonly PublishedSet[]): Registry {
  const registry = new Registry();
  const metric = gauge(registry, 'rsbridge_published_entries', 'Entries of each current document.', [
    'document',
  ]);
  for (const set of sets)
    for (const { path, entries } of currentDocuments(set)) metric.set({ document: path }, entries);
  return registry;
}

function gauge<Label extends string>(registry: Registry, name: string, help: string, labelNames: Label[]) {
  return new Gauge({ name, help, labelNames, registers: [registry] });
}
