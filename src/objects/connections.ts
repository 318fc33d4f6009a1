import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http';
import { Agent as HttpsAgent, request as secureRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * Requests and their answers, streamed both ways. By Node's own client: undici's ends the process with a failed
 * assertion when an answer with `Connection: close` is over while nobody reads it.
 */
export interface Connections {
  /** @throws what the system says of the connection; what aborted the signal */
  send(request: SentRequest): Promise<Response>;
  close(): void;
}

export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Each piece is sent before the next is asked for: it may lie in the same memory. */
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

export interface ConnectionSettings {
  /** At a time. */
  readonly connections: number;
  /** Of silence. */
  readonly timeoutSeconds: number;
  /** Says where connections may lead. */
  readonly guard: {
    checkHost(host: string, port: number): void;
    lookup(port: number): LookupFunction;
  };
}

export function createConnections({ connections, timeoutSeconds, guard }: ConnectionSettings): Connections {
  const options = { keepAlive: true, maxSockets: connections, maxFreeSockets: 16 };
  const agent = new HttpAgent(options);
  const secureAgent = new HttpsAgent(options);

  function send({ method, url, headers, body, signal }: SentRequest): Promise<Response> {
    const isSecure = url.protocol === 'https:';
    const port = Number(url.port) || (isSecure ? 443 : 80);
    return new Promise((resolve, reject) => {
      // A literal address is never looked up.
      guard.checkHost(url.hostname, port);
      const settings = { method, headers, lookup: guard.lookup(port), ...(signal ? { signal } : {}) };
      const sent = isSecure
        ? secureRequest(url, { ...settings, agent: secureAgent })
        : request(url, { ...settings, agent });
      let answer: IncomingMessage | undefined;
      sent.setTimeout(timeoutSeconds * 1000, () => {
        // Whoever reads it slowly is not waiting for it.
        if (answer && answer.readableLength > 0) return;
        const silence = new Error(`nothing came for ${timeoutSeconds} seconds`);
        answer?.destroy(silence);
        sent.destroy(silence);
      });
      sent.once('response', (response) => {
        answer = response;
        // Whoever reads it is told; where nobody does, nobody has to be.
        response.on('error', () => undefined);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response });
      });
      sent.on('error', reject);
      if (body === undefined) sent.end();
      else {
        sendAll(sent, body).catch((error: Error) => {
          sent.destroy(error);
          if (!answer) reject(error);
        });
      }
    });
  }

  return {
    send,
    close: () => {
      agent.destroy();
      secureAgent.destroy();
    },
  };
}

/** @throws what the body throws, and what is said of the connection; `closed`: it is gone before all was sent */
async function sendAll(sent: ClientRequest, body: AsyncIterable<Uint8Array>): Promise<void> {
  let fail: ((error: Error) => void) | undefined;
  let isClosed = false;
  // What waits for a connection is not told that there will be none.
  sent.once('close', () => {
    isClosed = true;
    fail?.(new Error('closed'));
  });
  for await (const piece of body) {
    await new Promise<void>((resolve, reject) => {
      fail = reject;
      if (isClosed) reject(new Error('closed'));
      else sent.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  }
  sent.end();
}
