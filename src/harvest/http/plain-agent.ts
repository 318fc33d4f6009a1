import type { Readable } from 'node:stream';
import { buildConnector, errors } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { handOver } from './handed-over.ts';
import { PlainBody } from './plain-body.ts';
import { PlainConnection, type Taker } from './plain-connection.ts';
import { parseHead, type ResponseHead } from './response-head.ts';

export interface PlainResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

/**
 * Downloads over `http:` with as little between the wire and the disk as there can be: a general client needs three
 * times as long for a file as a disk does. Only the simplest responses are read here; Node's own parser gets the others.
 */
export interface PlainAgent {
  /**
   * Sends a GET and waits for its answer. Whoever gets it reads the body or destroys it.
   * @param url of scheme `http:`
   * @throws what undici throws: its errors, those of the socket, the guard's, and what aborted the signal
   */
  get(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PlainResponse>;
  close(): void;
}

export interface PlainAgentSettings {
  readonly timeoutSeconds: number;
  readonly connectSeconds?: number | undefined;
}

const headBytes = 16_384;
const keepAliveMs = 4_000;
const idleAtMost = 16;

interface Idle {
  readonly connection: PlainConnection;
  readonly since: number;
}

export function createPlainAgent(guard: AddressGuard, settings: PlainAgentSettings): PlainAgent {
  const idle = new Map<string, Idle[]>();
  const open = new Set<PlainConnection>();

  async function connect(url: URL, signal: AbortSignal): Promise<PlainConnection> {
    const port = Number(url.port) || 80;
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    // A literal address is never looked up.
    guard.checkHost(url.hostname, port);
    const connection = new PlainConnection();
    const connector = buildConnector({
      lookup: guard.lookup(port),
      timeout: (settings.connectSeconds ?? 30) * 1000,
      onread: connection.onread,
    } as buildConnector.BuildOptions);
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      connector({ hostname, protocol: 'http:', port: String(port) }, (error, socket) => {
        signal.removeEventListener('abort', giveUp);
        if (error) return reject(error);
        connection.attach(socket, settings.timeoutSeconds * 1000);
        if (signal.aborted) connection.end();
        resolve(connection);
      });
    });
  }

  /** One that stood idle may have been closed by the other side meanwhile. */
  function takeIdle(origin: string): PlainConnection | undefined {
    const its = idle.get(origin) ?? [];
    for (let last = its.pop(); last; last = its.pop()) {
      if (last.connection.isUsable && performance.now() - last.since < keepAliveMs) return last.connection;
      drop(last.connection);
    }
    idle.delete(origin);
    return undefined;
  }

  function keep(origin: string, connection: PlainConnection): void {
    connection.rest();
    const its = idle.get(origin) ?? [];
    idle.set(origin, its);
    its.push({ connection, since: performance.now() });
    if (its.length > idleAtMost) drop(its.shift()?.connection);
  }

  function drop(connection: PlainConnection | undefined): void {
    if (!connection) return;
    connection.end();
    open.delete(connection);
  }

  async function ask(
    connection: PlainConnection,
    url: URL,
    request: string,
    signal: AbortSignal,
  ): Promise<PlainResponse> {
    const end = () => drop(connection);
    const abort = { now: (_reason: unknown) => undefined as unknown };
    const onAbort = () => abort.now(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const over = () => signal.removeEventListener('abort', onAbort);
    // A head that comes byte by byte is never silent: once begun, it has to end.
    let hasBegun = () => false;
    const late = setInterval(() => {
      if (hasBegun()) abort.now(new errors.HeadersTimeoutError());
    }, settings.timeoutSeconds * 1000);
    try {
      const { head, rest } = await new Promise<Answer>((resolve, reject) => {
        abort.now = reject;
        const taker = new HeadTaker(resolve, reject);
        hasBegun = () => taker.hasBegun;
        connection.handTo(taker);
        connection.write(request);
      });
      if (!head) {
        const message = await new Promise<PlainResponse>((resolve, reject) => {
          abort.now = reject;
          handOver(connection, rest).then(
            (body) => resolve({ statusCode: body.statusCode ?? 0, headers: body.headers, body }),
            reject,
          );
        });
        clearInterval(late);
        abort.now = (reason) => message.body.destroy(reason as Error);
        message.body.once('close', () => {
          over();
          end();
        });
        return message;
      }
      const body = new PlainBody(head.length, rest.subarray(0, head.length), {
        resume: () => connection.resume(),
        leave: end,
      });
      clearInterval(late);
      abort.now = (reason) => body.destroy(reason as Error);
      body.once('close', over);
      const done = (isClean: boolean) => {
        if (head.isKept && isClean) keep(url.origin, connection);
        else end();
      };
      if (body.left === 0) done(rest.byteLength === head.length);
      else connection.handTo(untilComplete(body, done));
      return { statusCode: head.status, headers: head.headers, body };
    } catch (error) {
      clearInterval(late);
      over();
      end();
      throw error;
    }
  }

  return {
    async get(url, headers, signal) {
      const request = requestOf(url, headers);
      signal.throwIfAborted();
      for (;;) {
        const kept = takeIdle(url.origin);
        const connection = kept ?? (await connect(url, signal));
        open.add(connection);
        try {
          signal.throwIfAborted();
          return await ask(connection, url, request, signal);
        } catch (error) {
          drop(connection);
          // The other side closed it while it stood idle, and has not seen this request.
          if (!kept || signal.aborted || !(error instanceof errors.SocketError)) throw error;
        }
      }
    },
    close() {
      for (const connection of open) connection.end();
      open.clear();
      idle.clear();
    },
  };
}

interface Answer {
  /** Undefined where it is not of the simplest kind. */
  readonly head: ResponseHead | undefined;
  /** What came behind the head; without one, everything that came. */
  readonly rest: Uint8Array;
}

/** Waits for the head of a response. */
class HeadTaker implements Taker {
  #came: Buffer = Buffer.alloc(0);
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: Error) => void;

  constructor(resolve: (answer: Answer) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get hasBegun(): boolean {
    return this.#came.byteLength > 0;
  }

  took(bytes: Uint8Array): boolean {
    this.#came = Buffer.concat([this.#came, bytes]);
    const end = this.#came.indexOf('\r\n\r\n');
    if (end < 0 && this.#came.byteLength < headBytes) return true;
    const head = end < 0 ? undefined : parseHead(this.#came.subarray(0, end));
    this.#resolve({ head, rest: head ? this.#came.subarray(end + 4) : this.#came });
    return false;
  }

  broke(error: Error): void {
    const isClosed = error instanceof errors.SocketError;
    this.#reject(
      isClosed && this.#came.byteLength > 0 ? new Error('the answer ends within its head') : error,
    );
  }
}

/** @param done is told whether nothing came behind the body */
function untilComplete(body: PlainBody, done: (isClean: boolean) => void): Taker {
  return {
    room: () => body.room(),
    took(bytes) {
      const { left } = body;
      const mayGoOn = body.took(bytes.subarray(0, left));
      if (body.left > 0) return mayGoOn;
      done(bytes.byteLength <= left);
      return true;
    },
    broke: (error) => body.broke(error),
  };
}

const token = /^[\w!#$%&'*+.^`|~-]+$/;
const value = /^[\t\x20-\x7e\x80-\xff]*$/;

/** @throws InvalidArgumentError for what would not be one header */
function requestOf(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ host: url.host, connection: 'keep-alive', ...headers }).map(
    ([name, text]) => {
      if (!token.test(name) || !value.test(text))
        throw new errors.InvalidArgumentError(`invalid ${name} header`);
      return `${name}: ${text}\r\n`;
    },
  );
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
