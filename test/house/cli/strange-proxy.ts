import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

type Headers = Record<string, string | string[] | undefined>;

/** What a proxy does that it should not. */
export interface Strangeness {
  /** What it passes on of a request. */
  readonly asks?: (request: { path: string; method: string; headers: Headers }) => {
    readonly path?: string;
    readonly method?: string;
    readonly headers?: Headers;
  };
  /** What it passes on of an answer; `body`: something of its own. */
  readonly answers?: (answer: { path: string; status: number; headers: Headers }) => {
    readonly status?: number;
    readonly headers?: Headers;
    readonly body?: string;
  };
}

export interface StrangeProxy {
  readonly port: number;
  strange: Strangeness;
  close(): Promise<void>;
}

/** A reverse proxy that names its clients in `X-Forwarded-For`, and does whatever a test has it do beside. */
export async function openStrangeProxy(
  upstream: string,
  tls?: { readonly key: string; readonly cert: string },
  host = '127.0.0.1',
): Promise<StrangeProxy> {
  const target = new URL(upstream);
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const path = incoming.url ?? '/';
    const method = incoming.method ?? 'GET';
    const given = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' };
    const { asks, answers } = proxy.strange;
    const asked = { path, method, headers: given, ...asks?.({ path, method, headers: given }) };
    const passed = request(
      { host: target.hostname, port: target.port, ...asked, headers: withoutNothing(asked.headers) },
      (response) => {
        const got = { path, status: response.statusCode ?? 500, headers: response.headers as Headers };
        const { status = got.status, headers = got.headers, body } = answers?.(got) ?? {};
        outgoing.writeHead(status, withoutNothing(headers));
        if (body === undefined) response.pipe(outgoing);
        else {
          response.resume();
          outgoing.end(body);
        }
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('error', () => passed.destroy());
    passed.end();
  };
  const server = tls ? createTlsServer(tls, pass) : createServer(pass);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const proxy: StrangeProxy = {
    port: (server.address() as AddressInfo).port,
    strange: {},
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return proxy;
}

function withoutNothing(headers: Headers): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
