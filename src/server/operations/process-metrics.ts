import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** @param number of the process, where there are several: every series says whose it is */
export function processMetrics(version: string, number?: number): Registry {
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
  return registry;
}
