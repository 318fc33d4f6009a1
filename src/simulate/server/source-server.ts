import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { BridgeError } from '../../core/errors.ts';
import type { SimulatorSettings } from '../settings.ts';
import type { Answer, Request, Subject } from './answer.ts';
import { conditioned } from './conditions.ts';
import { control, controlPath } from './control.ts';
import { deliver } from './delivery.ts';
import { answerOf, type SourceContents } from './source-answers.ts';
import type { Steering } from './steering.ts';

/** For whoever embeds the Source. */
export interface ServerHooks {
  /** Of each request for the Source, before it is answered. */
  asked?(path: string): void;
  /** @returns true: it has been answered */
  interfere?(path: string, response: ServerResponse, headers: IncomingHttpHeaders, body: Buffer): boolean;
}

export interface ServerDeps extends ServerHooks {
  readonly settings: SimulatorSettings;
  readonly contents: SourceContents;
  readonly steering: Steering;
  readonly now: () => string;
  content(answer: Answer, request: Request): Answer;
  answer(answer: Answer, request: Request): Answer;
}

/** What was asked for, by kinds, for whoever wants to know what a copy costs. */
export type RequestCounts = Record<Subject | 'unchanged', number> & { octets: number };

/** Answers requests for the Source with whatever is wrong with them, and those for its control. */
export class SourceServer {
  readonly counts: RequestCounts = {
    ...{ document: 0, package: 0, resource: 0, page: 0, nothing: 0 },
    ...{ unchanged: 0, octets: 0 },
  };
  readonly #deps: ServerDeps;
  readonly #server = createServer((request, response) => this.#respond(request, response));
  readonly #sockets = new Set<Socket>();
  readonly #asked = new Map<string, number>();

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    // Who reads slowly is somebody's test.
    this.#server.requestTimeout = 0;
  }

  /** @returns the port. @throws BridgeError `port-in-use` */
  listen(): Promise<number> {
    const { host, port } = this.#deps.settings;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        const isTaken = error.code === 'EADDRINUSE';
        reject(
          isTaken ? new BridgeError('port-in-use', `${host}:${port} is in use`, { cause: error }) : error,
        );
      });
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    if (path === controlPath || /^\/control[/?]/.test(path)) {
      control(request, this.#deps.steering).then(
        (answer) => deliver(response, answer, true),
        () => response.destroy(),
      );
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const headers = { allow: 'GET, HEAD' };
      deliver(response, { status: 405, headers, body: Buffer.from('GET or HEAD\n') }, true);
      return;
    }
    this.#answer(path, request, response);
  }

  #answer(path: string, { method = 'GET', headers }: IncomingMessage, response: ServerResponse): void {
    const { settings, contents, now } = this.#deps;
    this.#deps.asked?.(path);
    const nth = this.#asked.get(path) ?? 0;
    this.#asked.set(path, nth + 1);
    const { answer, subject } = answerOf(path, contents, now());
    if (this.#deps.interfere?.(path, response, headers, answer.body)) return;
    const request: Request = { path, method, headers, nth, subject };
    const whole = this.#deps.content(answer, request);
    const sent = this.#deps.answer(conditioned(whole, request, settings.gzip), request);
    this.counts[sent.status === 304 ? 'unchanged' : subject] += 1;
    this.counts.octets += sent.body.length;
    const { latencyMs } = settings;
    const delivery = { ...sent.delivery, waitMs: (sent.delivery?.waitMs ?? 0) + latencyMs };
    deliver(response, { ...sent, delivery }, method !== 'HEAD');
  }
}
