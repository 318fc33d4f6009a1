import type { FastifyInstance } from 'fastify';
import { toMilliseconds } from '../../core/datetime.ts';
import { failure } from '../../core/errors.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import type { ServerDeps, SourceOverview } from '../deps.ts';
import { currentDocuments, publishedSets } from '../pages/set-view.ts';
import type { Family, RequestMetrics, Sample } from './request-metrics.ts';

/**
 * `/metrics` in the Prometheus text format. Every label has a bounded set of values. What is said of sources and documents
 * is rendered once for each answer of those who look at them, however often it is asked for.
 */
export function metricsRoutes(app: FastifyInstance, deps: ServerDeps, requests: RequestMetrics): void {
  const ofSources = remembered((sources: readonly SourceOverview[]) => render(sourceFamilies(sources)));
  const ofDocuments = remembered((sets: readonly PublishedSet[]) => render([documentFamily(sets)]));
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
      reply.type('text/plain; version=0.0.4; charset=utf-8').header('cache-control', 'no-store');
      const now = render([...processFamilies(deps.version), ...requests.families()]);
      return Buffer.concat([
        now,
        ...(sources.status === 'fulfilled' ? [ofSources(sources.value)] : []),
        ...(sets.status === 'fulfilled' ? [ofDocuments(sets.value)] : []),
      ]);
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

function processFamilies(version: string): readonly Family[] {
  return [
    gauge('rsbridge_info', 'The version that is running.', [{ labels: { version }, value: 1 }]),
    gauge('process_resident_memory_bytes', 'Resident memory.', [{ value: process.memoryUsage.rss() }]),
    gauge('rsbridge_uptime_seconds', 'Since the process began.', [{ value: process.uptime() }]),
  ];
}

function sourceFamilies(sources: readonly SourceOverview[]): readonly Family[] {
  const samples = (pick: (source: SourceOverview) => number | undefined): readonly Sample[] =>
    sources.flatMap((source) => {
      const value = pick(source);
      return value === undefined ? [] : [{ labels: { source: source.name }, value }];
    });
  return [
    gauge(
      'rsbridge_items',
      'Items the upstream has.',
      samples(({ items }) => items),
    ),
    gauge(
      'rsbridge_resources',
      'Living resources.',
      samples(({ resources }) => resources),
    ),
    gauge(
      'rsbridge_recent_changes',
      'Changes in the last 24 hours.',
      samples(({ recentChanges }) => recentChanges),
    ),
    gauge(
      'rsbridge_source_healthy',
      '1 while nothing needs attention.',
      samples(({ healthy }) => Number(healthy)),
    ),
    gauge(
      'rsbridge_last_success_timestamp_seconds',
      'When the last successful harvest ended.',
      samples(({ lastSuccessAt }) =>
        lastSuccessAt === undefined ? undefined : toMilliseconds(lastSuccessAt) / 1000,
      ),
    ),
  ];
}

function documentFamily(sets: readonly PublishedSet[]): Family {
  const samples = sets.flatMap((set) =>
    currentDocuments(set).map(({ path, entries }) => ({ labels: { document: path }, value: entries })),
  );
  return gauge('rsbridge_published_entries', 'Entries of each current document.', samples);
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'gauge', help, samples };
}

function render(families: readonly Family[]): Buffer {
  return Buffer.from(families.map(renderFamily).join(''), 'utf8');
}

function renderFamily({ name, type, help, samples }: Family): string {
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${renderLabels(labels)} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function renderLabels(labels: Readonly<Record<string, string>> | undefined): string {
  if (!labels) return '';
  const escaped = (value: string) =>
    value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`;
}
