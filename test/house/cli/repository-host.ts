import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { envelope, formats } from '../adapters/scripted-provider.ts';

export type Reply =
  | string
  | {
      readonly status?: number;
      readonly type?: string;
      readonly body?: string;
      readonly headers?: Record<string, string>;
    };

export interface RepositoryHost {
  /** Without a slash at the end. */
  readonly origin: string;
  /** Paths with queries, in the order in which they were asked for. */
  readonly requests: string[];
  readonly routes: Map<string, Reply | ((query: URLSearchParams) => Reply)>;
  /** Whether what is asked for, path and query, is never answered; nothing, unless a test says so. */
  silent: (target: string) => boolean;
}

const notFound: Reply = {
  status: 404,
  type: 'text/html',
  body: '<!doctype html><title>Not Found</title>',
};

/** A host on loopback that answers by path, and everything else with a page that says 404; gone after the test. */
export async function repositoryHost(
  routes: Readonly<Record<string, Reply | ((query: URLSearchParams) => Reply)>> = {},
): Promise<RepositoryHost> {
  const requests: string[] = [];
  const table = new Map(Object.entries(routes));
  const host = { origin: '', requests, routes: table, silent: (_target: string) => false };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    requests.push(`${url.pathname}${url.search}`);
    if (host.silent(`${url.pathname}${url.search}`)) return;
    const route = table.get(url.pathname) ?? notFound;
    const reply = typeof route === 'function' ? route(url.searchParams) : route;
    const {
      status = 200,
      type,
      body = '',
      headers = {},
    } = typeof reply === 'string' ? { body: reply } : reply;
    const guessed = body.startsWith('{') || body.startsWith('[') ? 'application/json' : 'text/xml';
    response.writeHead(status, { 'content-type': type ?? guessed, ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  host.origin = `http://127.0.0.1:${port}`;
  return host;
}

export function page(generator?: string): Reply {
  const meta = generator === undefined ? '' : `<meta content="${generator}" name="Generator">`;
  return {
    type: 'text/html; charset=utf-8',
    body: `<!DOCTYPE html><html><head>${meta}</head><body>Welcome</body></html>`,
  };
}

/** The answer of `GET /server/api`. */
export function dspaceRoot(ui: string, version = 'DSpace 8.2'): Reply {
  return JSON.stringify({
    dspaceUI: ui,
    dspaceName: 'Ars Longa',
    dspaceServer: `${ui}/server`,
    dspaceVersion: version,
    type: 'root',
    _links: { workflowGroups: [{ href: 'http://x/' }] },
  });
}

export const legacyStatus = '{"okay":true,"authenticated":false,"email":null,"sourceVersion":"6.3"}';

/** An OAI-PMH endpoint; records are called `oai:repo.example.org:1/2`. */
export function oaiEndpoint(query: URLSearchParams): Reply {
  switch (query.get('verb')) {
    case 'Identify':
      return envelope(
        '<Identify><repositoryName>Ars Longa</repositoryName><baseURL>http://repo.example.org/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>transient</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>',
      );
    case 'ListMetadataFormats':
      return formats;
    case 'ListIdentifiers':
      return envelope(
        '<ListIdentifiers><header><identifier>oai:repo.example.org:1/2</identifier><datestamp>2026-01-01T00:00:00Z</datestamp></header></ListIdentifiers>',
      );
    default:
      return envelope('<error code="badVerb">no</error>');
  }
}
