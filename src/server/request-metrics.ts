import { Counter, Histogram, Registry } from 'prom-client';

/** How often each operation was asked for, what came of it, and how long it took. */
export interface RequestMetrics {
  readonly registry: Registry;
  /** `operation` is one of our route names, never anything a client chose. */
  observe(operation: string, status: number, seconds: number): void;
}

interface Observation {
  readonly operation: string;
  readonly status: number;
  readonly seconds: number;
}

/** As many at once: one after the other, between other things, they take several times as long. */
const counted = 200;

export function createRequestMetrics(): RequestMetrics {
  const registry = new Registry();
  const registers = [registry];
  const waiting: Observation[] = [];
  const count = () => {
    for (const { operation, status, seconds } of waiting.splice(0)) {
      total.inc({ operation, status: `${Math.floor(status / 100)}xx` });
      duration.observe({ operation }, seconds);
    }
  };
  const total = new Counter({
    name: 'rsbridge_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['operation', 'status'],
    registers,
    collect: count,
  });
  const duration = new Histogram({
    name: 'rsbridge_http_request_duration_seconds',
    help: 'From the request to the last byte of its answer.',
    labelNames: ['operation'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers,
    collect: count,
  });
  return {
    registry,
    observe(operation, status, seconds) {
      waiting.push({ operation, status, seconds });
      if (waiting.length >= counted) count();
    },
  };
}
