import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { answerByFault, forbidden } from '../faults.ts';
import { OaiFace } from '../oai/oai-face.ts';
import { Refusal } from '../refusal.ts';
import type { Repository } from '../repository.ts';
import { type Fault, honest, type SeenRequest, type Switches } from '../switches.ts';
import type { Account } from '../viewer.ts';
import { sendContent } from './rest-content.ts';
import type { Face, Look } from './rest-json.ts';
import { kindOf, type Reply, RestRoutes } from './rest-routes.ts';
import { RestSession } from './rest-session.ts';
import { profileOf, type RestVersion } from './rest-version.ts';

/**
 * A DSpace 7 to 10 on the loopback interface: REST, Signposting and, where asked for, OAI-PMH of one repository.
 *
 *     const server = await startRestServer({ repository: sampleRepository({ items: 200 }), version: '9.1' });
 *     server.url                     // http://127.0.0.1:4711/server/api — the REST API
 *     server.switches.versions = 'hidden';                                  // how it behaves: test/house/dspace/switches.ts
 *     server.fail({ when: ({ kind }) => kind === 'search', times: 1, reply: 503, retryAfter: '1' });
 *     server.counts.search; server.requests.at(-1); server.usageEvents;     // what it was asked
 *     await server.close();
 */
export interface RestServerOptions {
  readonly repository: Repository;
  /** 10.1 unless told. */
  readonly version?: RestVersion;
  readonly switches?: Partial<Switches>;
  readonly accounts?: readonly Account[];
  /** Where the web application is; `/server` unless told, may be empty: `http://…/api`. */
  readonly contextPath?: string;
  /** What `dspaceServer` and all links say instead of the true address: `http://backend:8080/server`. */
  readonly statedServer?: string;
  readonly ui?: string;
  readonly name?: string;
  /** `/oai/request` beside it, see test/house/dspace/oai/oai-face.ts. */
  readonly oai?: boolean;
  /** Host of the OAI identifiers. */
  readonly oaiHost?: string;
  /** Runs before each answer: edit the repository between two pages, wait, look. */
  readonly onRequest?: (request: SeenRequest) => void | Promise<void>;
  /** Of requests kept; 20,000 unless told. */
  readonly keepRequests?: number;
}

/** Two accounts: an administrator, and one who sees what the group `staff` may read. */
export const sampleAccounts: readonly Account[] = [
  { user: 'admin@example.org', password: 'secret of the admin', admin: true },
  { user: 'staff@example.org', password: 'secret of the staff', groups: ['staff'] },
  { user: 'nobody@example.org', password: 'secret of nobody' },
];

export class RestServer {
  readonly repository: Repository;
  readonly switches: Switches;
  readonly session: RestSession;
  readonly oai: OaiFace | undefined;
  /** The REST API: `http://127.0.0.1:4711/server/api` */
  url = '';
  /** `http://127.0.0.1:4711/server` */
  serverUrl = '';
  /** `http://127.0.0.1:4711/server/oai/request` */
  oaiUrl = '';
  readonly requests: SeenRequest[] = [];
  /** Requests by kind, see `kindOf`. */
  readonly counts: Record<string, number> = {};
  /** Downloads, as the statistics of the repository count them. */
  usageEvents = 0;
  /** Headers of what arrived at the store that contents are redirected to. */
  readonly storeRequests: IncomingMessage['headers'][] = [];
  readonly faults: Fault[] = [];
  readonly #options: RestServerOptions;
  readonly #face: Face;
  readonly #routes: RestRoutes;
  readonly #server: Server;
  readonly #store: Server;
  readonly #sockets = new Set<Socket>();
  #storeUrl = '';

  constructor(options: RestServerOptions) {
    this.#options = options;
    this.repository = options.repository;
    this.switches = { ...honest, poisonous: new Set(), ...options.switches };
    this.#face = {
      repository: options.repository,
      profile: profileOf(options.version ?? '10.1'),
      switches: this.switches,
      api: '',
      server: '',
      ui: options.ui ?? 'https://repo.example.org',
    };
    this.session = new RestSession(this.#face, options.accounts ?? sampleAccounts);
    this.#routes = new RestRoutes(this.#face, this.session, options.name ?? 'Sample Repository');
    if (options.oai === true) {
      const { repository, oaiHost: host = 'repo.example.org' } = options;
      this.oai = new OaiFace({ repository, host, ui: this.#face.ui });
    }
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#store = createServer((request, response) => this.#answerAsStore(request, response));
    for (const server of [this.#server, this.#store]) {
      server.on('connection', (socket) => {
        this.#sockets.add(socket);
        socket.on('close', () => this.#sockets.delete(socket));
      });
    }
  }

  async listen(): Promise<this> {
    const context = this.#options.contextPath ?? '/server';
    const origin = await listening(this.#server);
    this.#storeUrl = await listening(this.#store);
    this.serverUrl = `${origin}${context}`;
    this.url = `${this.serverUrl}/api`;
    this.oaiUrl = `${this.serverUrl}/oai/request`;
    this.#face.server = this.#options.statedServer ?? this.serverUrl;
    this.#face.api = `${this.#face.server}/api`;
    if (this.oai !== undefined) this.oai.baseUrl = this.oaiUrl;
    return this;
  }

  /** From now on, until it has happened `times` times. The first fault that is meant for a request wins. */
  fail(fault: Fault): void {
    this.faults.push(fault);
  }

  resetCounts(): void {
    this.requests.length = 0;
    this.usageEvents = 0;
    for (const kind of Object.keys(this.counts)) delete this.counts[kind];
  }

  async close(): Promise<void> {
    const closed = [this.#server, this.#store].map(
      (server) => new Promise((resolve) => server.close(resolve)),
    );
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const method = request.method ?? 'GET';
    const context = this.#options.contextPath ?? '/server';
    const below = url.pathname.startsWith(`${context}/`) ? url.pathname.slice(context.length) : undefined;
    const kind = kindOf(below);
    const now = this.repository.now();
    response.setHeader('date', new Date(now).toUTCString());
    try {
      const viewer = this.session.viewer(request);
      const { headers } = request;
      const seen: SeenRequest = {
        method,
        path: url.pathname,
        query: url.searchParams,
        headers,
        kind,
        viewer,
      };
      this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      if (this.requests.length < (this.#options.keepRequests ?? 20_000)) this.requests.push(seen);
      response.on('finish', () => {
        seen.status = response.statusCode;
      });
      await this.#options.onRequest?.(seen);
      if (answerByFault(this.faults, seen, response, now)) return;
      if (this.switches.refuseBrackets && /[[\]]|%5[bd]/i.test(url.search)) {
        response.writeHead(403, { 'content-type': 'text/html' }).end(forbidden);
        return;
      }
      if (headers.origin !== undefined && headers.origin !== this.#face.ui)
        throw new Refusal(403, 'Invalid CORS request');
      response.setHeader('content-language', 'en');
      response.setHeader('cache-control', 'no-cache, no-store, max-age=0, must-revalidate');
      response.setHeader('pragma', 'no-cache');
      response.setHeader('expires', '0');
      this.session.offerToken(request, response);
      if (below === undefined) throw new Refusal(404);
      if (this.oai !== undefined && below.startsWith('/oai/')) {
        const reply = this.oai.reply(
          method === 'POST' ? new URLSearchParams(await bodyOf(request)) : url.searchParams,
        );
        response.writeHead(200, { 'content-type': 'text/xml;charset=UTF-8' }).end(reply);
        return;
      }
      const look: Look = { viewer, locale: this.#locale(request, url.searchParams) };
      if (method === 'POST') {
        this.session.checkToken(request, response);
        this.#send(
          this.#routes.post(below, new URLSearchParams(await bodyOf(request)), look, response),
          request,
          response,
        );
        return;
      }
      if (method !== 'GET' && method !== 'HEAD') throw new Refusal(405);
      const reply = this.#routes.get(below, url.searchParams, look, response);
      const rows = this.switches.embedDelay > 0 && url.searchParams.has('embed') ? (reply.hits ?? 1) : 0;
      if (rows > 0) await pause(rows * this.switches.embedDelay);
      this.#send(reply, request, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      const refusal = error instanceof Refusal ? error : new Refusal(500, `${error}`);
      response.setHeader('content-type', 'application/json;charset=UTF-8');
      response.writeHead(refusal.status).end(JSON.stringify(refusal.json(url.pathname, now)));
    }
  }

  #send(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
    if (reply.content !== undefined) {
      if (request.headers.range === undefined) this.usageEvents += 1;
      if (this.switches.redirectContent) {
        const location = `${this.#storeUrl}/assetstore/${reply.content.bitstream.uuid}?X-Amz-Signature=abc`;
        response.writeHead(302, { location }).end();
        return;
      }
      const { bitstream, bundle } = reply.content;
      sendContent(this.#face, bitstream, bundle.name, request, response);
      return;
    }
    if (reply.location !== undefined) response.setHeader('location', reply.location);
    if (reply.json === undefined && reply.text === undefined) {
      response.writeHead(reply.status ?? 204).end();
      return;
    }
    response.setHeader('content-type', reply.contentType ?? 'application/hal+json;charset=UTF-8');
    response.writeHead(reply.status ?? 200).end(reply.text ?? JSON.stringify(reply.json));
  }

  #answerAsStore(request: IncomingMessage, response: ServerResponse): void {
    this.storeRequests.push(request.headers);
    const uuid = /^\/assetstore\/([^?]+)/.exec(request.url ?? '')?.[1] ?? '';
    const found = this.repository.bitstream(uuid);
    if (found === undefined) response.writeHead(404).end();
    else sendContent(this.#face, found.bitstream, found.bundle.name, request, response);
  }

  /** Whose values alone are shown; undefined where all are. @throws Refusal 400 for projections nobody knows */
  #locale(request: IncomingMessage, query: URLSearchParams): string | undefined {
    const { profile } = this.#face;
    const projection = query.get('projection');
    const known = ['full', 'default', 'list', ...(profile.locales ? ['allLanguages'] : [])];
    if (projection !== null && !known.includes(projection)) throw new Refusal(400);
    if (projection === 'allLanguages' || !(this.switches.localeFiltering ?? profile.locales))
      return undefined;
    return /^[a-z]+/i.exec(request.headers['accept-language'] ?? '')?.[0].toLowerCase() ?? 'en';
  }
}

export function startRestServer(options: RestServerOptions): Promise<RestServer> {
  return new RestServer(options).listen();
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
