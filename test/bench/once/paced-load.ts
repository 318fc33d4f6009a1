import { Agent, get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

export interface PacedSettings {
  readonly connections: number;
  readonly requests: readonly {
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
  }[];
  readonly seconds: number;
  /** A second, evenly. */
  readonly rate: number;
}

/**
 * Requests that come evenly, whatever the answers take. autocannon sends what is due within a second in its first part
 * and rests until the next, so that its percentiles are those of a full load. Times are in milliseconds, from when a
 * request was due until its answer has ended.
 */
export async function pacedLoad(
  port: number,
  { connections, requests, seconds, rate }: PacedSettings,
): Promise<{ total: number; perSecond: number; p50: number; p99: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const open = new Set<Promise<void>>();
  const began = performance.now();
  const ask = (due: number, number: number) => {
    const { path, headers } = requests[number % requests.length] ?? { path: '/' };
    const answered = new Promise<void>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, headers: { ...headers }, agent };
      get(options, (response) => {
        response.resume().on('end', () => {
          times.push(performance.now() - due);
          resolve();
        });
      }).on('error', reject);
    });
    open.add(answered);
    void answered.finally(() => open.delete(answered));
  };
  for (let sent = 0; sent < rate * seconds; ) {
    const due = began + (sent / rate) * 1000;
    if (due > performance.now()) await setTimeout(1);
    else {
      ask(due, sent);
      sent += 1;
    }
  }
  await Promise.all(open);
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => Number((times[Math.floor(times.length * share)] ?? 0).toFixed(1));
  const elapsed = (performance.now() - began) / 1000;
  return { total: times.length, perSecond: Math.round(times.length / elapsed), p50: at(0.5), p99: at(0.99) };
}
