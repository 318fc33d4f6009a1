/** How often each operation was asked for, what came of it, and how long it took. */
export interface RequestMetrics {
  /** `operation` is one of our route names, never anything a client chose. */
  observe(operation: string, status: number, seconds: number): void;
  families(): readonly Family[];
}

export interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** Of histograms: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Histogram {
  readonly buckets: number[];
  sum: number;
  count: number;
}

const bounds = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60] as const;

export function createRequestMetrics(): RequestMetrics {
  const totals = new Map<string, { labels: Record<string, string>; value: number }>();
  const durations = new Map<string, Histogram>();
  return {
    observe(operation, status, seconds) {
      const labels = { operation, status: `${Math.floor(status / 100)}xx` };
      const key = `${labels.operation} ${labels.status}`;
      const total = totals.get(key) ?? { labels, value: 0 };
      total.value += 1;
      totals.set(key, total);
      const histogram = durations.get(operation) ?? { buckets: bounds.map(() => 0), sum: 0, count: 0 };
      bounds.forEach((bound, index) => {
        if (seconds <= bound) histogram.buckets[index] = (histogram.buckets[index] ?? 0) + 1;
      });
      histogram.sum += seconds;
      histogram.count += 1;
      durations.set(operation, histogram);
    },
    families: () => [
      {
        name: 'rsbridge_http_requests_total',
        type: 'counter',
        help: 'Requests answered.',
        samples: [...totals.values()],
      },
      {
        name: 'rsbridge_http_request_duration_seconds',
        type: 'histogram',
        help: 'From the request to the last byte of its answer.',
        samples: [...durations].flatMap(([operation, histogram]) => toSamples(operation, histogram)),
      },
    ],
  };
}

function toSamples(operation: string, { buckets, sum, count }: Histogram): readonly Sample[] {
  return [
    ...bounds.map((bound, index) => ({
      suffix: '_bucket',
      labels: { operation, le: String(bound) },
      value: buckets[index] ?? 0,
    })),
    { suffix: '_bucket', labels: { operation, le: '+Inf' }, value: count },
    { suffix: '_sum', labels: { operation }, value: sum },
    { suffix: '_count', labels: { operation }, value: count },
  ];
}
