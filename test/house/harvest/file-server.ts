import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../src/core/adapter.ts';
import { createHostGate, type HostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp, type HttpClient, type HttpSettings } from '../../../src/harvest/http/http.ts';
import type { DueFile } from '../../../src/store/files/due-files.ts';

export const silentLog = { debug() {}, info() {}, warn() {}, error() {} };

export interface FileServer {
  readonly url: string;
  /** `HEAD /a.pdf`, in order, with the headers that came. */
  readonly asked: string[];
  readonly headers: IncomingMessage['headers'][];
  readonly gate: HostGate;
  /** For URLs found in records of a source at this server. */
  readonly http: HttpClient;
}

const open: { server: Server; http?: HttpClient }[] = [];

/** A server on loopback whose files are looked for as those of its own source. */
export async function serveFiles(
  listener: RequestListener,
  settings: Partial<HttpSettings> = {},
): Promise<FileServer> {
  const asked: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gate = createHostGate();
  const http = createHttp(
    {
      endpoint: `${url}/oai`,
      scope: 'found',
      userAgent: 'resourcesync-bridge/1.2.3',
      requestsPerHost: 1,
      timeoutSeconds: 5,
      maxResponseBytes: 1_000_000,
      allowPrivateAddresses: false,
      ...settings,
    },
    { gate, clock: systemClock, log: silentLog },
  );
  open.push({ server, http });
  return { url, asked, headers, gate, http };
}

const systemClock: Clock = {
  now: () => new Date(),
  sleep: () => Promise.reject(new Error('files are not waited for')),
};

export async function closeFileServers(): Promise<void> {
  for (const { server, http } of open.splice(0)) {
    await http?.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A file nobody has asked for, with what its record states. */
export function unasked(url: string, stated: DueFile['stated'] = {}): DueFile {
  return { url, outcome: 'unchecked', failures: 0, stated };
}
