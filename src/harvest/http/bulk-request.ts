import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { BulkBody } from './bulk-body.ts';
import { connectionOf } from './large-reads.ts';

export interface BulkResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: BulkBody;
}

/**
 * A GET for many octets. Its body is copied once, from where the connection reads (`LargeReads`) to where it is written
 * from; `request` of undici hands on whatever small chunk comes.
 * @throws what undici throws: its errors, those of the socket, the guard's, and what aborted the signal
 */
export function bulkRequest(
  dispatcher: Dispatcher,
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<BulkResponse> {
  return new Promise((resolve, reject) => {
    const answer = new BulkAnswer(signal, resolve, reject);
    const { origin, pathname, search } = url;
    dispatcher.dispatch({ origin, path: pathname + search, method: 'GET', headers }, answer);
  });
}

class BulkAnswer implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #resolve: (response: BulkResponse) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #body: BulkBody | undefined;
  /** Of a body that has not begun. */
  #length: number | undefined;

  constructor(
    signal: AbortSignal,
    resolve: (response: BulkResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal;
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
    const body = new BulkBody(this.#length, {
      resume: () => controller.resume(),
      abort: (error) => controller.abort(error),
    });
    body.once('close', () => this.#signal.removeEventListener('abort', this.#abort));
    this.#body = body;
    this.#resolve({ statusCode, headers, body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // Nothing that the parser keeps follows a body of known length; of another one it keeps the trailers.
    if (this.#length !== undefined) connectionOf(chunk)?.lend(this.#length - chunk.byteLength);
    this.#length = undefined;
    if (this.#body?.took(chunk) === false) controller.pause();
  }

  onResponseEnd(): void {
    this.#body?.ended();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#signal.removeEventListener('abort', this.#abort);
    if (this.#body) this.#body.broke(error);
    else this.#reject(error);
  }
}
