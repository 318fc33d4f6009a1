import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerByFault } from '../faults.ts';
import { type Bitstream, Item } from '../model.ts';
import { OaiFace } from '../oai/oai-face.ts';
import type { Repository } from '../repository.ts';
import { sampleAccounts } from '../rest/rest-server.ts';
import type { Fault, SeenRequest } from '../switches.ts';
import { type Account, mayRead, mayReadContent, type Viewer } from '../viewer.ts';
import { xml } from '../xml.ts';
import {
  bitstreamJson,
  bitstreamUuid,
  collectionJson,
  communityJson,
  hierarchyJson,
  itemJson,
  type LegacyFace,
  type LegacyLook,
  type LegacyVersion,
  metadataJson,
  readable,
} from './legacy-json.ts';

/**
 * The `/rest` of DSpace 5 or 6 on the loopback interface, and its OAI-PMH where asked for.
 *
 *     const server = await startLegacyServer({ repository: sampleRepository({ items: 200 }), version: '5' });
 *     server.url          // http://127.0.0.1:4711/rest
 *     server.oaiUrl       // http://127.0.0.1:4711/oai/request, with `oai: true`
 *     server.fail({ when: ({ kind }) => kind === 'items', times: 1, reply: 503 });
 *     await server.close();
 *
 * Lists are cut into pages before it is looked who may read what: pages may be short, or empty, in the middle.
 */
export interface LegacyServerOptions {
  readonly repository: Repository;
  readonly version?: LegacyVersion;
  /** What it is deployed under: ''; `/xmlui`. */
  readonly contextPath?: string;
  readonly linkPrefix?: string;
  readonly retrievePrefix?: string;
  readonly timeZone?: string;
  readonly metadataParts?: boolean;
  readonly accounts?: readonly Account[];
  /** false: an unknown handle is a 404 as one would expect, not a 500. */
  readonly unknownHandleIs500?: boolean;
  readonly oai?: boolean;
  readonly oaiHost?: string;
  readonly ui?: string;
  readonly onRequest?: (request: SeenRequest) => void | Promise<void>;
}

class Failure extends Error {
  readonly status: number;

  constructor(status: number, message?: string) {
    super(message ?? (status === 404 ? 'Not Found' : 'Internal Server Error'));
    this.status = status;
  }
}

type Answer =
  | { json: unknown; root: string }
  | { text: string }
  | { bitstream: Bitstream }
  | { cookie: string };

export class LegacyServer {
  readonly repository: Repository;
  readonly oai: OaiFace | undefined;
  url = '';
  oaiUrl = '';
  readonly requests: SeenRequest[] = [];
  /** Requests by kind: the first word after `/rest/`, `item`, `retrieve`, `oai`. */
  readonly counts: Record<string, number> = {};
  usageEvents = 0;
  readonly faults: Fault[] = [];
  readonly #options: LegacyServerOptions;
  readonly #face: LegacyFace;
  readonly #tokens = new Map<string, Account>();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #base: string;
  #order: readonly Item[] = [];
  #orderOf = -1;

  constructor(options: LegacyServerOptions) {
    const { version = '6', timeZone = 'UTC', metadataParts = false, repository } = options;
    this.#options = options;
    this.repository = repository;
    this.#base = `${options.contextPath ?? ''}/rest`;
    const linkPrefix = options.linkPrefix ?? this.#base;
    const retrievePrefix = options.retrievePrefix ?? (version === '5' ? '' : linkPrefix);
    this.#face = { repository, version, linkPrefix, retrievePrefix, timeZone, metadataParts };
    if (options.oai === true) {
      const { oaiHost: host = 'repo.example.org', ui = 'https://repo.example.org' } = options;
      this.oai = new OaiFace({ repository, host, ui, legacyUrls: true });
    }
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.url = `${origin}${this.#base}`;
    this.oaiUrl = `${origin}${this.#options.contextPath ?? ''}/oai/request`;
    if (this.oai !== undefined) this.oai.baseUrl = this.oaiUrl;
    return this;
  }

  fail(fault: Fault): void {
    this.faults.push(fault);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const { method = 'GET', headers } = request;
    const steps = url.pathname.startsWith(`${this.#base}/`)
      ? url.pathname
          .slice(this.#base.length + 1)
          .split('/')
          .filter((step) => step !== '')
      : [];
    const isOai =
      this.oai !== undefined && url.pathname.startsWith(`${this.#options.contextPath ?? ''}/oai/`);
    const kind = isOai ? 'oai' : steps.includes('retrieve') ? 'retrieve' : (steps[0] ?? 'other');
    try {
      const viewer = this.#viewer(request);
      const seen: SeenRequest = {
        method,
        path: url.pathname,
        query: url.searchParams,
        headers,
        kind,
        viewer,
      };
      this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      this.requests.push(seen);
      response.on('finish', () => {
        seen.status = response.statusCode;
      });
      await this.#options.onRequest?.(seen);
      if (answerByFault(this.faults, seen, response, this.repository.now())) return;
      if (isOai) {
        const query = method === 'POST' ? new URLSearchParams(await bodyOf(request)) : url.searchParams;
        response.writeHead(200, { 'content-type': 'text/xml;charset=UTF-8' }).end(this.oai?.reply(query));
        return;
      }
      if (!url.pathname.startsWith(this.#base)) throw new Failure(404);
      const expand = new Set((url.searchParams.get('expand') ?? '').split(',').filter((name) => name !== ''));
      const answer =
        method === 'POST'
          ? this.#post(steps, await bodyOf(request))
          : this.#get(steps, url.searchParams, { viewer, expand });
      this.#send(answer, request, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      const failure = error instanceof Failure ? error : new Failure(500, `${error}`);
      response.writeHead(failure.status, {
        'content-type': 'text/html;charset=utf-8',
        'content-language': 'en',
      });
      response.end(tomcat(failure.status, failure.message));
    }
  }

  #viewer({ headers }: IncomingMessage): Viewer {
    const cookie = /JSESSIONID=([^;]+)/.exec(headers.cookie ?? '')?.[1];
    const token = this.#face.version === '5' ? headers['rest-dspace-token'] : cookie;
    const viewer = this.#tokens.get(String(token));
    if (viewer === undefined && this.#face.version === '5' && token !== undefined)
      throw new Failure(401, 'Unauthorized');
    return viewer;
  }

  #post([what]: string[], body: string): Answer {
    if (what === 'logout') return { text: '' };
    if (what !== 'login') throw new Failure(405, 'Method Not Allowed');
    const isFive = this.#face.version === '5';
    const form = isFive ? credentials(body) : Object.fromEntries(new URLSearchParams(body));
    const account = (this.#options.accounts ?? sampleAccounts).find(
      ({ user, password }) => user === form.email && password === form.password,
    );
    if (account === undefined) throw new Failure(isFive ? 403 : 401, 'Authentication Failed: Login failed');
    const token = randomUUID();
    this.#tokens.set(token, account);
    return isFive ? { text: token } : { cookie: token };
  }

  #get([what, id, more, ...rest]: string[], query: URLSearchParams, look: LegacyLook): Answer {
    const face = this.#face;
    const { repository } = this;
    if (rest.length > 0) throw new Failure(404);
    switch (what) {
      case undefined:
        return { text: '<html><title>DSpace REST - index</title></html>' };
      case 'test':
        return { text: 'REST api is running.' };
      case 'status':
        return { json: status(face, look.viewer), root: 'status' };
      case 'items': {
        if (id === undefined) return this.#items(this.#ordered(), query, look);
        const item = this.#find(id, look);
        if (more === undefined) return { json: itemJson(face, item, look), root: 'item' };
        if (more === 'metadata') return { json: metadataJson(face, item, look), root: 'metadataEntries' };
        if (more !== 'bitstreams') throw new Failure(404);
        const [limit, offset] = pageOf(query, 20);
        const rows = readable(face, item, look).slice(offset, offset + limit);
        return { json: rows.map((bitstream) => bitstreamJson(face, item, bitstream)), root: 'bitstreams' };
      }
      case 'collections': {
        if (id === undefined) {
          const rows = page(repository.collections, query);
          return {
            json: rows.map((collection) => collectionJson(face, collection, look)),
            root: 'collections',
          };
        }
        const collection = repository.collections.find(({ uuid, number }) => this.#is(id, uuid, number));
        if (collection === undefined) throw new Failure(404);
        if (more === undefined) return { json: collectionJson(face, collection, look), root: 'collection' };
        if (more !== 'items') throw new Failure(404);
        const within = this.#ordered().filter(
          (item) => item.collection === collection || item.mapped.includes(collection),
        );
        return this.#items(within, query, look);
      }
      case 'communities':
        return this.#communities(id, more, query, look);
      case 'hierarchy':
        if (face.version === '5') throw new Failure(404);
        return { json: hierarchyJson(face), root: 'hierarchy' };
      case 'handle':
        return this.#handle(`${id}/${more}`, look);
      case 'bitstreams':
        return this.#bitstream(id, more, look);
      default:
        throw new Failure(404);
    }
  }

  #communities(
    id: string | undefined,
    more: string | undefined,
    query: URLSearchParams,
    look: LegacyLook,
  ): Answer {
    const face = this.#face;
    const { communities } = this.repository;
    if (id === undefined || id === 'top-communities') {
      const shown = communities.filter(({ parent }) => id === undefined || parent === undefined);
      return {
        json: page(shown, query).map((community) => communityJson(face, community, look)),
        root: 'communities',
      };
    }
    const community = communities.find(({ uuid, number }) => this.#is(id, uuid, number));
    if (community === undefined) throw new Failure(404);
    switch (more) {
      case undefined:
        return { json: communityJson(face, community, look), root: 'community' };
      case 'collections': {
        const rows = page(community.collections, query);
        return {
          json: rows.map((collection) => collectionJson(face, collection, look)),
          root: 'collections',
        };
      }
      case 'communities': {
        const rows = page(community.communities, query);
        return { json: rows.map((child) => communityJson(face, child, look)), root: 'communities' };
      }
      default:
        throw new Failure(404);
    }
  }

  /** In the order of their ids: all there are, whoever may read them. */
  #ordered(): readonly Item[] {
    if (this.#orderOf !== this.repository.edits) this.#order = this.#sorted();
    this.#orderOf = this.repository.edits;
    return this.#order;
  }

  #sorted(): readonly Item[] {
    const kept = this.repository.items.filter(({ inArchive, withdrawn }) => inArchive || withdrawn);
    return this.#face.version === '5' ? kept : kept.sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  }

  #items(items: readonly Item[], query: URLSearchParams, look: LegacyLook): Answer {
    const shown = page(items, query).filter(
      (item) => item.inArchive && item.discoverable && mayRead(item, look.viewer, this.repository.now()),
    );
    return { json: shown.map((item) => itemJson(this.#face, item, look)), root: 'items' };
  }

  #find(id: string, look: LegacyLook): Item {
    const item =
      this.#face.version === '5' ? this.repository.itemByNumber(Number(id)) : this.repository.item(id);
    if (item === undefined) throw new Failure(404);
    if (!item.inArchive || !mayRead(item, look.viewer, this.repository.now()))
      throw new Failure(401, 'Unauthorized');
    return item;
  }

  #handle(handle: string, look: LegacyLook): Answer {
    const found = this.repository.byHandle(handle);
    if (found === undefined) throw new Failure(this.#options.unknownHandleIs500 === false ? 404 : 500);
    if (found instanceof Item) {
      if (!found.inArchive || !mayRead(found, look.viewer, this.repository.now()))
        throw new Failure(401, 'Unauthorized');
      return { json: itemJson(this.#face, found, look), root: 'item' };
    }
    if ('collections' in found) return { json: communityJson(this.#face, found, look), root: 'community' };
    return { json: collectionJson(this.#face, found, look), root: 'collection' };
  }

  #bitstream(id = '', more: string | undefined, { viewer }: LegacyLook): Answer {
    const found = this.repository.bitstream(this.#face.version === '5' ? bitstreamUuid(Number(id)) : id);
    if (found === undefined) throw new Failure(404);
    const { item, bitstream } = found;
    if (!mayReadContent(item, bitstream, viewer, this.repository.now()))
      throw new Failure(401, 'Unauthorized');
    if (more === undefined) return { json: bitstreamJson(this.#face, item, bitstream), root: 'bitstream' };
    if (more !== 'retrieve') throw new Failure(404);
    return { bitstream };
  }

  #is(id: string, uuid: string, number: number): boolean {
    return this.#face.version === '5' ? id === String(number) : id === uuid;
  }

  #send(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
    if ('bitstream' in answer) {
      this.usageEvents += 1;
      const { mimeType, name, content } = answer.bitstream;
      response.setHeader(
        'content-disposition',
        `attachment; filename="${name.replace(/[^\x20-\x7e]|"/g, '?')}"`,
      );
      response.writeHead(200, { 'content-type': mimeType, 'transfer-encoding': 'chunked' });
      response.end(request.method === 'HEAD' ? undefined : content());
    } else if ('cookie' in answer) {
      response.writeHead(200, { 'set-cookie': `JSESSIONID=${answer.cookie}; Path=/rest; HttpOnly` }).end();
    } else if ('text' in answer) {
      response.writeHead(200, { 'content-type': answer.text.startsWith('<') ? 'text/html' : 'text/plain' });
      response.end(answer.text);
    } else if (/\bjson\b/.test(request.headers.accept ?? '')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.json));
    } else {
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.end(
        `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${asXml(answer.root, answer.json)}`,
      );
    }
  }
}

export function startLegacyServer(options: LegacyServerOptions): Promise<LegacyServer> {
  return new LegacyServer(options).listen();
}

function pageOf(query: URLSearchParams, otherwise: number): [number, number] {
  return [Number(query.get('limit') ?? otherwise), Number(query.get('offset') ?? 0)];
}

function page<Row>(rows: readonly Row[], query: URLSearchParams): readonly Row[] {
  const [limit, offset] = pageOf(query, 100);
  return rows.slice(offset, offset + limit);
}

function status({ version }: LegacyFace, viewer: Viewer): Record<string, unknown> {
  const email = viewer?.user ?? null;
  const common = { okay: true, authenticated: viewer !== undefined, email, fullname: email };
  return version === '5' ? { ...common, token: null } : { ...common, sourceVersion: null, apiVersion: null };
}

function credentials(body: string): { email?: string; password?: string } {
  try {
    return JSON.parse(body);
  } catch {
    throw new Failure(400, 'Bad Request');
  }
}

function asXml(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) {
    const inner = name.replace(/ies$/, 'y').replace(/s$/, '');
    return `<${name}>${value.map((member) => asXml(inner, member)).join('')}</${name}>`;
  }
  if (typeof value !== 'object') return `<${name}>${xml(String(value))}</${name}>`;
  const members = Object.entries(value).map(([key, member]) =>
    Array.isArray(member) ? member.map((each) => asXml(key, each)).join('') : asXml(key, member),
  );
  return `<${name}>${members.join('')}</${name}>`;
}

function tomcat(statusCode: number, message: string): string {
  return `<!doctype html><html lang="en"><head><title>HTTP Status ${statusCode} – ${xml(message)}</title></head><body><h1>HTTP Status ${statusCode} – ${xml(message)}</h1><hr class="line" /><p><b>Type</b> Status Report</p><p><b>Message</b> ${xml(message)}</p><hr class="line" /><h3>Apache Tomcat/7.0.109</h3></body></html>`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
