import type { Config } from '../../core/config/config.ts';

/** What a partner is told of one source, by one queue. */
export interface ReportTopic {
  readonly name: string;
  readonly partner: string;
  readonly source: string;
  /** What the partner calls itself. */
  readonly service: string;
  readonly inbox: string;
}

/** Of those who are told of harvests, by the name of the queue. */
export function reportTopics({
  coarNotify,
  sources,
}: Pick<Config, 'coarNotify' | 'sources'>): ReadonlyMap<string, ReportTopic> {
  const topics = new Map<string, ReportTopic>();
  for (const [partner, { service, inbox, sources: names }] of Object.entries(coarNotify?.partners ?? {}))
    for (const source of inbox === undefined ? [] : names) {
      if (!Object.hasOwn(sources, source) || inbox === undefined) continue;
      const name = `report/${partner}/${source}`;
      topics.set(name, { name, partner, source, service, inbox });
    }
  return topics;
}
