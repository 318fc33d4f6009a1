import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

export interface LoadRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LoadSettings {
  readonly connections: number;
  readonly seconds: number;
  readonly requests: readonly LoadRequest[];
  /** Each connection has a part of the requests for its own, so that none comes twice until all have come. */
  readonly apart?: boolean;
  /** Redirects and 304 are answers, too. */
  readonly expect?: number;
}

/** Requests of many connections at once, each of which asks again as soon as it has its answer. */
export async function load(port: number, { connections, seconds, requests, apart, expect }: LoadSettings) {
  const size = Math.ceil(requests.length / connections);
  let parts = 0;
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    // Of whatever is given here, autocannon makes each request once for each connection.
    requests: apart ? requests.slice(0, 1) : [...requests],
    ...(apart && {
      setupClient: (client) => {
        client.setRequests(requests.slice(parts * size, (parts + 1) * size));
        parts += 1;
      },
    }),
  });
  const { requests: answered, throughput, latency, errors, statusCodeStats = {} } = result;
  const others = Object.entries(statusCodeStats).filter(([status]) => Number(status) !== (expect ?? 200));
  if (errors > 0 || others.length > 0)
    process.stderr.write(`${errors} errors, and answers other than expected: ${JSON.stringify(others)}\n`);
  return {
    total: answered.total,
    perSecond: Number(answered.average.toFixed(1)),
    megabytesPerSecond: Math.round(throughput.average / 1e6),
    p50: latency.p50,
    p99: latency.p99,
  };
}

/** Processor time so far of a process and of the processes that it started, in seconds. */
export function processorSeconds(pid = 0): number {
  return family(pid).reduce((sum, one) => sum + ownSeconds(one), 0);
}

function ownSeconds(pid: number): number {
  try {
    const [, facts = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = facts.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** Resident now, and at most, of each of them. */
export function megabytes(pid = 0): readonly { readonly now: number; readonly peak: number }[] {
  return family(pid).map((one) => {
    try {
      const status = readFileSync(`/proc/${one}/status`, 'utf8');
      const of = (key: string) =>
        Math.round(Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
      return { now: of('VmRSS'), peak: of('VmHWM') };
    } catch {
      return { now: 0, peak: 0 };
    }
  });
}

function family(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
    return [pid, ...children.flatMap((child) => family(Number(child)))];
  } catch {
    return [pid];
  }
}

/** What `/metrics` says of the event loop, in milliseconds: of the slowest process. */
export async function eventLoop(port: number): Promise<object> {
  const text = await (await fetch(`http://127.0.0.1:${port}/rs/metrics`)).text();
  const of = (name: string) => {
    const values = [...text.matchAll(new RegExp(`^${name}(?:{[^}]*})? (\\S+)`, 'gm'))].map(([, value]) =>
      Number(value),
    );
    return Number((Math.max(...values) * 1000).toFixed(1));
  };
  return { p99: of('nodejs_eventloop_lag_p99_seconds'), max: of('nodejs_eventloop_lag_max_seconds') };
}
