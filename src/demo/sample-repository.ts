import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../core/adapter.ts';
import { toIso } from '../core/datetime.ts';
import { createRandom } from '../core/draws/random.ts';
import { editRandomly, type SampleEdit } from './edits.ts';
import { replyWithFile } from './provider/file-reply.ts';
import { replyWithLinkset, replyWithPage } from './provider/landing-page.ts';
import { answer } from './provider/provider.ts';
import { type Reply, send, sentence } from './provider/reply.ts';
import { findPlace } from './records/addresses.ts';
import { createRecords } from './records/records.ts';

export type { SampleEdit };

export interface SampleRepositoryOptions {
  readonly clock: Clock;
  /** The same seed makes the same edits. */
  readonly seed?: number;
  /** How many records there are at first; 300, unless something else is said. */
  readonly records?: number;
}

/**
 * An OAI-PMH data provider over invented records, with their files and landing pages, for `rsbridge demo` and for
 * tests.
 */
export interface SampleRepository {
  /** On the loopback interface. @returns the base URL */
  listen(port?: number): Promise<{ readonly url: string }>;
  /** Edits, adds or deletes one record, now; without `mayRemove`, everything that is there stays there. */
  edit(options?: { readonly mayRemove: boolean }): SampleEdit;
  close(): Promise<void>;
}

const maximumForm = 65_536;

export function createSampleRepository(options: SampleRepositoryOptions): SampleRepository {
  const { clock, seed = 2026 } = options;
  const records = createRecords(options.records);
  const random = createRandom(seed);
  let baseUrl = '';

  const server = createServer((request, response) => {
    readQuery(request)
      .then((query) => {
        const reply = query === undefined ? replyTo(request) : replyToQuery(query);
        send(response, reply);
      })
      .catch(() => response.destroy());
  });

  function replyToQuery(query: URLSearchParams): Reply {
    const body = answer(query, { baseUrl, now: toIso(clock.now()), records });
    return { status: 200, headers: { 'content-type': 'text/xml; charset=utf-8' }, body };
  }

  function replyTo(request: IncomingMessage): Reply {
    const place = findPlace((request.url ?? '/').replace(/\?.*$/s, ''), records);
    if (place === undefined) return sentence(404, 'Not here: see /oai?verb=Identify');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return sentence(405, 'For reading only.', { allow: 'GET, HEAD' });
    }
    const { kind, record } = place;
    if (kind === 'file') return replyWithFile(request, { ...place, baseUrl, now: toIso(clock.now()) });
    return kind === 'page' ? replyWithPage(record, baseUrl) : replyWithLinkset(record, baseUrl);
  }

  return {
    edit: ({ mayRemove } = { mayRemove: true }) =>
      editRandomly(records, random, toIso(clock.now()), mayRemove),
    listen: (port = 0) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => {
          server.off('error', reject);
          baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oai`;
          resolve({ url: baseUrl });
        });
      }),
    close: () =>
      new Promise((resolve) => {
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
