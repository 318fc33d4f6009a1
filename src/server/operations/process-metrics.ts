import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { UpstreamAnswers } from '../measures.ts';

export interface ProcessFacts {
  /** Of the process, where there are several: every series says whose it is. */
  readonly number?: number | undefined;
  readonly upstreamAnswers?: (() => readonly UpstreamAnswers[]) | undefined;
}

export function processMetrics(version: string, { number, upstreamAnswers }: ProcessFacts = {}): Registry {
  const registry = new Registry();
  if (number !== undefined) registry.setDefaultLabels({ process: String(number) });
  collectDefaultMetrics({ register: registry });
  const info = { name: 'rsbridge_info', help: 'The version that is running.', labelNames: ['version'] };
  new Gauge({ ...info, registers: [registry] }).set({ version }, 1);
  new Gauge({
    name: 'rsbridge_uptime_seconds',
    help: 'Since the process began.',
    registers: [registry],
    collect() {
      this.set(process.uptime());
    },
  });
  if (upstreamAnswers)
    new Counter({
      name: 'rsbridge_upstream_answers_total',
      help: 'How the repository of a source answered, by status; failed: no answer came.',
      labelNames: ['source', 'answer'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { source, answer, count } of upstreamAnswers()) this.inc({ source, answer }, count);
      },
    });
  return registry;
}
