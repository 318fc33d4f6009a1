import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../core/adapter.ts';
import { toIso } from '../core/datetime.ts';
import { editRandomly, type SampleEdit } from './edits.ts';
import { answer } from './provider.ts';
import { createRandom } from './random.ts';
import { createRecords } from './records.ts';

export type { SampleEdit };

export interface SampleRepositoryOptions {
  readonly clock: Clock;
  /** The same seed makes the same edits. */
  readonly seed?: number;
  /** Pause between two edits; 0 for none at all. */
  readonly editEveryMs?: number;
}

/** An OAI-PMH data provider over invented records, for `rsbridge demo` and for tests. */
export interface SampleRepository {
  /** On the loopback interface. @returns the base URL */
  listen(port?: number): Promise<{ readonly url: string }>;
  /** Edits, adds or deletes one record, now. */
  edit(): SampleEdit;
  /** Edits by itself from now on; does not keep the process alive. */
  startEditing(): void;
  close(): Promise<void>;
}

const maximumForm = 65_536;

export function createSampleRepository(options: SampleRepositoryOptions): SampleRepository {
  const { clock, seed = 2026, editEveryMs = 4_000 } = options;
  const records = createRecords();
  const random = createRandom(seed);
  let baseUrl = '';
  let timer: NodeJS.Timeout | undefined;

  const server = createServer((request, response) => {
    readQuery(request)
      .then((query) => {
        const body = query && answer(query, { baseUrl, now: toIso(clock.now()), records });
        if (body === undefined)
          respond(response, 404, 'Not here: see /oai?verb=Identify\n', 'text/plain; charset=utf-8');
        else respond(response, 200, body, 'text/xml; charset=utf-8');
      })
      .catch(() => response.destroy());
  });

  const edit = () => editRandomly(records, random, toIso(clock.now()));

  return {
    edit,
    listen: (port = 0) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => {
          server.off('error', reject);
          baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oai`;
          resolve({ url: baseUrl });
        });
      }),
    startEditing() {
      if (editEveryMs > 0) timer ??= setInterval(edit, editEveryMs).unref();
    },
    close: () =>
      new Promise((resolve) => {
        clearInterval(timer);
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Undefined for anything but the provider's own address. */
async function readQuery(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (url.pathname !== '/oai') return undefined;
  if (request.method !== 'POST') return url.searchParams;
  let form = '';
  for await (const chunk of request.setEncoding('utf8')) {
    form += String(chunk);
    if (form.length > maximumForm) throw new Error('The form is too large.');
  }
  return new URLSearchParams(form);
}

function respond(response: ServerResponse, status: number, body: string, type: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
