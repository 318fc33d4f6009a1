import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a callback was sent. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly at: number;
}

export interface Subscriber {
  readonly base: string;
  readonly received: readonly Received[];
  /** Deliveries, in the order in which they came. */
  deliveries(path?: string): readonly Received[];
  /** Questions of a mode, or all. */
  questions(mode?: string): readonly Received[];
  /** Instead of confirming everything and taking everything. */
  behave(answer: (received: Received, reply: ServerResponse) => void): void;
  /** Whoever calls again has to connect again. */
  closeConnections(): void;
  close(): Promise<void>;
}

/** Somebody at loopback who is called back. @param atPort 0: any that is free */
export async function startSubscriber(host = '127.0.0.1', atPort = 0): Promise<Subscriber> {
  const received: Received[] = [];
  let behaviour: (received: Received, reply: ServerResponse) => void = takeAll;
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = request.url ?? '';
    const one: Received = {
      ...{ method: request.method ?? '', url, headers: request.headers, body: Buffer.concat(chunks) },
      query: new URL(url, 'http://x').searchParams,
      at: Date.now(),
    };
    received.push(one);
    behaviour(one, reply);
  });
  server.listen(atPort, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://${host}:${port}`,
    received,
    deliveries: (path) =>
      received.filter(({ method, url }) => method === 'POST' && (path === undefined || url === path)),
    questions: (mode) =>
      received.filter(
        ({ method, query }) => method === 'GET' && (mode === undefined || query.get('hub.mode') === mode),
      ),
    behave: (answer) => {
      behaviour = answer;
    },
    closeConnections: () => server.closeAllConnections(),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** As one who has asked for all of it. */
export function takeAll({ query }: Received, reply: ServerResponse): void {
  reply.setHeader('content-type', 'text/plain');
  reply.end(query.get('hub.challenge') ?? '');
}
