import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** What one process has asked of the machine. */
export interface Traffic {
  requests: number;
  /** Under way. */
  open: number;
  last: number;
}

/** One machine that has many names, and counts what is asked of it. */
export interface CountingProvider {
  readonly urls: readonly string[];
  /** By process id. */
  readonly traffic: ReadonlyMap<number, Traffic>;
  /** Requests under way at once, at most, since it was last set to 0. */
  most: number;
  /** Requests whose processes were killed are gone; whatever is under way now. */
  open(): number;
  /** Instead of an answer. */
  answer: ((response: ServerResponse, pid: number) => void) | undefined;
  close(): Promise<void>;
}

export async function countingProvider(names: number): Promise<CountingProvider> {
  const traffic = new Map<number, Traffic>();
  const servers: Server[] = [];
  let open = 0;
  const handler = createServer(async (request, response) => {
    const pid = Number(/asker\/(\d+)/.exec(request.headers['user-agent'] ?? '')?.[1]);
    const its = traffic.get(pid) ?? { requests: 0, open: 0, last: 0 };
    traffic.set(pid, its);
    its.requests += 1;
    its.open += 1;
    its.last = performance.now();
    open += 1;
    provider.most = Math.max(provider.most, open);
    response.once('close', () => {
      open -= 1;
      its.open -= 1;
    });
    // So that requests that are under way at once are seen to be.
    await setTimeout(10 + Math.random() * 20);
    if (provider.answer) provider.answer(response, pid);
    else response.end('well');
  });
  const listen = async (): Promise<string> => {
    const server = createServer((request, response) => handler.emit('request', request, response));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  const urls = await Promise.all(Array.from({ length: names }, listen));
  const provider: CountingProvider = {
    ...{ urls, traffic, most: 0, answer: undefined },
    open: () => open,
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
  return provider;
}
