import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { HostileRecord, Repository } from '../repository.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import { type OaiArguments, readArguments } from './arguments.ts';
import { type AnswerParts, writeDocument } from './document.ts';
import { HttpFault, OaiFault, pageForPeople } from './fault.ts';
import { type ListPage, listPage } from './list-page.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import { Obstacles } from './obstacles.ts';
import { element, writeHeader, writeRecord } from './record-xml.ts';
import { getRecord, identify, listMetadataFormats, listSets } from './small-answers.ts';
import { TokenOffice } from './tokens.ts';
import { type Arrival, Traffic } from './traffic.ts';
import { send, type WireAnswer } from './wire.ts';

export interface ProviderOptions {
  readonly repository: Repository;
  readonly clock: VirtualClock;
  readonly formats: readonly string[];
  readonly pageSize: number;
  /** Seconds of its own clock that every request takes. */
  readonly secondsPerRequest?: number;
  /** Real time before an answer, so that requests can be under way at once. */
  readonly latencyMs?: number;
  /** How many it is asked at a time: the others may be on their way already when it asks one for patience. */
  readonly places?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** An OAI-PMH provider on the loopback interface that misbehaves as it is told. */
export class HostileProvider {
  readonly traffic: Traffic;
  /** URLs of files that are not there any more, although records name them. */
  readonly lost = new Set<string>();
  /** Errors of its own, which no test means. */
  readonly faults: unknown[] = [];
  /** Called with every request before it is answered: the repository may change under a harvest. */
  onRequest: (arrival: Arrival) => void = () => undefined;
  readonly #options: ProviderOptions;
  readonly #server: Server;
  /** The same at another port: as https is beside http. */
  readonly #other: Server;
  readonly #tokens = new TokenOffice();
  #obstacles: Obstacles;
  #wrong: Misbehaviour = {};
  #origin = '';
  #elsewhere = '';

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.traffic = new Traffic(options.places ?? 1);
    this.#obstacles = new Obstacles(this.#wrong, this.traffic, '');
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.faults.push(error);
        response.destroy();
      });
    };
    this.#server = options.tls ? createSecureServer(options.tls, listener) : createServer(listener);
    this.#other = createServer(listener);
  }

  get url(): string {
    return `${this.#origin}/oai`;
  }

  /** From now on it does this wrong, and nothing else. */
  misbehave(wrong: Misbehaviour): void {
    this.#wrong = wrong;
    this.#obstacles = new Obstacles(wrong, this.traffic, this.#elsewhere);
  }

  async listen(): Promise<void> {
    this.#origin = `${this.#options.tls ? 'https' : 'http'}://127.0.0.1:${await listen(this.#server)}`;
    this.#elsewhere = `http://127.0.0.1:${await listen(this.#other)}`;
  }

  async close(): Promise<void> {
    for (const server of [this.#server, this.#other]) {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  }

  fileUrl = (record: HostileRecord, index: number): string =>
    `${this.#origin}/files/${record.number}/${encodeURIComponent(record.files[index]?.name ?? '')}`;

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, latencyMs, secondsPerRequest = 1 } = this.#options;
    clock.advance(secondsPerRequest);
    const form = request.method === 'POST' ? await readForm(request) : undefined;
    const target = request.url ?? '/';
    const raw = form ?? target.slice(target.indexOf('?') + 1 || target.length);
    const arrival = this.traffic.arrive({
      at: clock.milliseconds(),
      method: request.method ?? '',
      url: target,
      query: new URLSearchParams(raw),
      headers: request.headers,
    });
    // `finish`: the answer is with the system, and its reader may have come to its end before `close` is told here.
    let left = false;
    const leave = () => {
      if (!left) this.traffic.leave();
      left = true;
    };
    response.on('finish', leave).on('close', leave);
    this.onRequest(arrival);
    if (latencyMs !== undefined) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    if (target.startsWith('/files/')) return this.#sendFile(target, response);
    const acceptsGzip = /gzip/.test(String(request.headers['accept-encoding'] ?? ''));
    send(response, this.#answer(arrival, raw), acceptsGzip, this.#wrong);
  }

  #answer(arrival: Arrival, raw: string): WireAnswer {
    const wrong = this.#wrong;
    const plain = { headers: {}, isDocument: false, cutOff: undefined };
    const stopped = this.#obstacles.before(arrival, this.#options.clock);
    if (stopped !== undefined) return { ...plain, ...stopped };
    const { retryAfterAlways } = wrong;
    const headers: Record<string, string> =
      retryAfterAlways === undefined ? {} : { 'retry-after': String(retryAfterAlways) };
    try {
      const { parts, status } = this.#parts(arrival, raw);
      const text = writeDocument(parts, wrong);
      return { status, headers, text, isDocument: true, cutOff: this.#obstacles.cutOff(arrival) };
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error;
      return { ...plain, status: error.status, headers, text: error.body };
    }
  }

  #parts(arrival: Arrival, raw: string): { parts: AnswerParts; status: number } {
    const wrong = this.#wrong;
    const now = this.#options.clock.iso();
    const common = { baseUrl: this.url, now, page: 0, metadataPrefix: undefined, errors: [] };
    try {
      const given = readArguments(arrival.query, raw, wrong);
      this.#obstacles.inventedError(arrival);
      return { status: 200, parts: { ...common, ...this.#content(given), verb: given.verb } };
    } catch (error) {
      if (!(error instanceof OaiFault)) throw error;
      return {
        status: wrong.errorStatus ?? 200,
        parts: { ...common, verb: undefined, content: '', errors: [error] },
      };
    }
  }

  #content(given: OaiArguments): Pick<AnswerParts, 'content' | 'page' | 'metadataPrefix'> {
    const { repository, formats, clock, pageSize } = this.#options;
    const [wrong, now, fileUrl] = [this.#wrong, clock.iso(), this.fileUrl];
    const deps = { baseUrl: this.url, repository, formats, now, wrong, fileUrl };
    const small = (content: string, metadataPrefix?: string) => ({ content, page: 0, metadataPrefix });
    switch (given.verb) {
      case 'Identify':
        return small(identify(deps));
      case 'ListMetadataFormats':
        return small(listMetadataFormats(deps));
      case 'ListSets':
        return small(listSets(given, deps));
      case 'GetRecord':
        return small(getRecord(given, deps), given.metadataPrefix);
      default: {
        const milliseconds = clock.milliseconds();
        const tokens = this.#tokens;
        const page = listPage(given, { repository, tokens, now, milliseconds, wrong, pageSize, formats });
        const { metadataPrefix, number } = page;
        return { content: this.#writePage(page), page: number, metadataPrefix };
      }
    }
  }

  #writePage({ verb, records, number, metadataPrefix, token }: ListPage): string {
    const [wrong, now, fileUrl] = [this.#wrong, this.#options.clock.iso(), this.fileUrl];
    const context = { metadataPrefix, page: number, now, wrong, fileUrl };
    const write = verb === 'ListIdentifiers' ? writeHeader : writeRecord;
    const strangers = number === 0 ? strangeTombstones(wrong) : [];
    const written = [...strangers, ...records].map((record) => write(record, context));
    if (token !== undefined) {
      const text = token.text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      written.push(element('resumptionToken', text, wrong, token.attributes));
    }
    return `\n${written.join('\n')}\n`;
  }

  #sendFile(target: string, response: ServerResponse): void {
    const [, , number = '', name = ''] = target.split('/');
    const { repository } = this.#options;
    const record = repository.living.find((candidate) => String(candidate.number) === number);
    const file = record?.files.find((candidate) => candidate.name === decodeURIComponent(name));
    if (file === undefined || this.lost.has(`${this.#origin}${target}`)) {
      response.writeHead(404, { 'content-type': 'text/html' }).end(pageForPeople('Not found'));
      return;
    }
    response.writeHead(200, {
      'content-type': file.mediaType,
      'content-length': Buffer.byteLength(file.content),
      etag: `"${record?.version}-${Buffer.byteLength(file.content)}"`,
    });
    response.end(file.content);
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function readForm(request: IncomingMessage): Promise<string> {
  let form = '';
  for await (const chunk of request.setEncoding('utf8')) form += String(chunk);
  return form;
}

function strangeTombstones({ strangeTombstones: count = 0 }: Misbehaviour): HostileRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    number: -index,
    identifier: `oai:hostile.example.org:stranger-${index}`,
    createdAt: '2001-01-01T00:00:00Z',
    datestamp: '2001-01-01T00:00:00Z',
    sets: [],
    deleted: true,
    title: '',
    version: 1,
    hidden: false,
    withdrawn: false,
    formats: undefined,
    files: [],
  }));
}
