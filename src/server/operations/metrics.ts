import type { FastifyInstance } from 'fastify';
import { AggregatorRegistry } from 'prom-client';
import { toMilliseconds } from '../../core/datetime.ts';
import { failure } from '../../core/errors.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import { isOperator } from '../access/token.ts';
import type { ServerDeps, SourceOverview } from '../deps.ts';
import { remembered } from '../pages/remembered.ts';
import { currentDocuments, publishedSets } from '../pages/set-view.ts';
import { isOpen } from '../privacy.ts';
import type { RequestMetrics } from '../request-metrics.ts';
import { measuresText } from './measured.ts';
import { processMetrics } from './process-metrics.ts';
import { type Sample, samplesText } from './samples.ts';

/**
 * `/metrics` in the Prometheus text format. Every label has a bounded set of values. What is said of sources and documents
 * is rendered once for each answer of those who look at them, however often it is asked for.
 * @param deps `open`: of what is for everybody; whoever has a token for the dashboard is told of `all`
 */
export function metricsRoutes(
  app: FastifyInstance,
  { open, all }: { readonly open: ServerDeps; readonly all: ServerDeps },
  requests: RequestMetrics,
): void {
  const ofProcess = ofProcesses(all, requests);
  const [ofSources, ofAllSources] = [remembered(sourceMetrics), remembered(sourceMetrics)];
  const [ofDocuments, ofAllDocuments] = [remembered(documentMetrics), remembered(documentMetrics)];
  app.addHook('onClose', async () => ofProcess.clear());
  app.route({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    config: { operationId: 'getMetrics' },
    handler: async (request, reply) => {
      const isAll = open === all || (await isOperator(all, request));
      const deps = isAll ? all : open;
      const [sources, sets, measures] = await Promise.allSettled([
        deps.sources(),
        publishedSets(deps),
        deps.measures?.(),
      ]);
      for (const { status, ...result } of [sources, sets, measures]) {
        // The process is measured even while its database is not there.
        if (status === 'rejected')
          request.log.warn(
            { ...failure((result as PromiseRejectedResult).reason) },
            'metrics are incomplete',
          );
      }
      reply.type(ofProcess.contentType).header('cache-control', 'no-store');
      const parts = await Promise.all([
        ofProcess.metrics().then((text) => (isAll ? text : withoutPrivate(open, text))),
        ...(sources.status === 'fulfilled' ? [(isAll ? ofAllSources : ofSources)(sources.value)] : []),
        ...(sets.status === 'fulfilled' ? [(isAll ? ofAllDocuments : ofDocuments)(sets.value)] : []),
        ...(measures.status === 'fulfilled' && measures.value
          ? [measuresText(measures.value, deps.clock.now().getTime())]
          : []),
      ]);
      return Buffer.from(parts.join(''), 'utf8');
    },
  });
}

/** What processes count of sources has them all: it is told of those alone that are for everybody. */
function withoutPrivate(deps: ServerDeps, text: string): string {
  if (!deps.privacy) return text;
  return text
    .split('\n')
    .filter((line) => {
      const [, source] = ofSource.exec(line) ?? [];
      return source === undefined || isOpen(deps, source);
    })
    .join('\n');
}

const ofSource = /^rsbridge_[a-z_]+\{(?:[^}]*,)?source="([^"]*)"/;

/** Of this process, or of all that answer together with it. */
function ofProcesses(
  { version, processes, upstreamAnswers }: ServerDeps,
  requests: RequestMetrics,
): { readonly contentType: string; metrics(): Promise<string>; clear(): void } {
  const own = processMetrics(version, { number: processes?.number, upstreamAnswers });
  const registries = [own, requests.registry];
  const clear = () => own.clear();
  if (!processes) {
    const metrics = async () => (await Promise.all(registries.map((one) => one.metrics()))).join('');
    return { contentType: own.contentType, metrics, clear };
  }
  requests.registry.setDefaultLabels({ process: String(processes.number) });
  processes.offer(async () => (await Promise.all(registries.map((one) => one.getMetricsAsJSON()))).flat());
  const metrics = async () => {
    const all = await processes.gather();
    return AggregatorRegistry.aggregate(all.map((one) => [...one])).metrics();
  };
  return { contentType: own.contentType, metrics, clear };
}

function sourceMetrics(sources: readonly SourceOverview[]): string {
  const all = (name: string, help: string, pick: (source: SourceOverview) => number | undefined) =>
    samplesText({
      ...{ name, help },
      samples: sources.map((source) => [{ source: source.name }, pick(source)]),
    });
  return [
    all('rsbridge_items', 'Items that are published: of which metadata lives.', ({ items }) => items),
    all('rsbridge_resources', 'Living resources.', ({ resources }) => resources),
    all('rsbridge_recent_changes', 'Changes in the last 24 hours.', ({ recentChanges }) => recentChanges),
    all('rsbridge_source_healthy', '1 while nothing needs attention.', ({ healthy }) => Number(healthy)),
    all(
      'rsbridge_last_success_timestamp_seconds',
      'When the last successful harvest ended.',
      ({ lastSuccessAt }) => (lastSuccessAt === undefined ? undefined : toMilliseconds(lastSuccessAt) / 1000),
    ),
  ].join('');
}

function documentMetrics(sets: readonly PublishedSet[]): string {
  return samplesText({
    name: 'rsbridge_published_entries',
    help: 'Entries of each current document.',
    samples: sets.flatMap((set) =>
      currentDocuments(set).map(({ path, entries }): Sample => [{ document: path }, entries]),
    ),
  });
}
