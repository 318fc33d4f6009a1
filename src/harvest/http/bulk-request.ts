import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { BulkBody } from './bulk-body.ts';
import { connectionOf } from './large-reads.ts';

export interface BulkResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: BulkBody | Buffer;
}

/**
 * A GET for many octets, or for few: a body of up to `whole` octets comes in one piece, without a stream. Its body is copied once, from where the connection reads (`LargeReads`) to where it is written
 * from; `request` of undici hands on whatever small chunk comes.
 * @throws what undici throws: its errors, those of the socket, the guard's, and what aborted the signal
 */
export function bulkRequest(
  dispatcher: Dispatcher,
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
  whole = 0,
): Promise<BulkResponse> {
  return new Promise((resolve, reject) => {
    const answer = new BulkAnswer(signal, whole, resolve, reject);
    const { origin, pathname, search } = url;
    dispatcher.dispatch({ origin, path: pathname + search, method: 'GET', headers }, answer);
  });
}

class BulkAnswer implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #wholeBelow: number;
  readonly #resolve: (response: BulkResponse) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #body: BulkBody | undefined;
  #start: { readonly statusCode: number; readonly headers: IncomingHttpHeaders } | undefined;
  readonly #chunks: Buffer[] = [];
  #collected = 0;
  /** Of a body that has not begun. */
  #length: number | undefined;

  constructor(
    signal: AbortSignal,
    wholeBelow: number,
    resolve: (response: BulkResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal;
    this.#wholeBelow = wholeBelow;
    this.#resolve = resolve;
    this.#reject = reject;
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** Also while it waits for a connection: then it is never sent. */
  readonly #abort = () => {
    const { reason } = this.#signal;
    if (this.#body) this.#body.destroy(reason);
    else this.#controller?.abort(reason);
    this.#reject(reason);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) controller.abort(this.#signal.reason);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (statusCode < 200) return;
    const hasLength = headers['transfer-encoding'] === undefined && 'content-length' in headers;
    this.#length = hasLength ? Number(headers['content-length']) : undefined;
    this.#start = { statusCode, headers };
    if ((this.#length ?? 0) > this.#wholeBelow || this.#wholeBelow === 0) this.#stream(controller);
  }

  #stream(controller: Dispatcher.DispatchController): void {
    const body = new BulkBody(this.#length, {
      resume: () => controller.resume(),
      abort: (error) => controller.abort(error),
    });
    body.once('close', () => this.#signal.removeEventListener('abort', this.#abort));
    this.#body = body;
    if (this.#start) this.#resolve({ ...this.#start, body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body === undefined) {
      this.#collected += chunk.byteLength;
      // Where it lies may be read into again.
      this.#chunks.push(Buffer.from(chunk));
      if (this.#collected <= this.#wholeBelow) return;
      this.#stream(controller);
      for (const part of this.#chunks.splice(0)) this.#hand(controller, part);
      return;
    }
    // Nothing that the parser keeps follows a body of known length; of another one it keeps the trailers.
    if (this.#length !== undefined) connectionOf(chunk)?.lend(this.#length - chunk.byteLength);
    this.#length = undefined;
    this.#hand(controller, chunk);
  }

  #hand(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body?.took(chunk) === false) controller.pause();
  }

  onResponseEnd(): void {
    this.#body?.ended();
    if (this.#body || !this.#start) return;
    this.#signal.removeEventListener('abort', this.#abort);
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    this.#resolve({ ...this.#start, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#signal.removeEventListener('abort', this.#abort);
    if (this.#body) this.#body.broke(error);
    else this.#reject(error);
  }
}
