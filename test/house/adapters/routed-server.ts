import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as HAL. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly text?: string;
}

export type Route = (asked: Asked) => Answer | Promise<Answer>;

export interface RoutedServer {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly asked: Asked[];
  /** `GET /server/api/core/items`, in order. */
  readonly lines: string[];
  close(): Promise<void>;
}

/**
 * A loopback server of a few answers.
 * @param routes by path; what is not among them is answered 404 as DSpace does
 */
export async function serveRoutes(routes: Readonly<Record<string, Route | Answer>>): Promise<RoutedServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const one = {
      method: request.method ?? '',
      url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    asked.push(one);
    const route = routes[url.pathname] ?? springError(404, 'Not Found');
    const { status = 200, headers, json, text } = typeof route === 'function' ? await route(one) : route;
    const type = json === undefined ? {} : { 'content-type': 'application/hal+json;charset=UTF-8' };
    response.writeHead(status, { ...type, ...headers });
    response.end(json === undefined ? text : JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    get lines() {
      return asked.map(({ method, url }) => `${method} ${url.pathname}`);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** As Spring reports errors. */
export function springError(status: number, message: string): Answer {
  return {
    status,
    json: { timestamp: '2026-11-21T12:00:00.000+00:00', status, message, path: '/server/api' },
  };
}

export const html: Answer = {
  headers: { 'content-type': 'text/html; charset=utf-8' },
  text: '<!doctype html><title>Just a moment…</title>',
};

/** What `GET /server/api` says, as far as it matters. */
export function rootJson(more: object = {}): object {
  return {
    dspaceUI: 'https://repo.example.org',
    dspaceName: 'A Repository',
    dspaceServer: 'https://repo.example.org/server',
    dspaceVersion: 'DSpace 8.2',
    type: 'root',
    ...more,
  };
}
