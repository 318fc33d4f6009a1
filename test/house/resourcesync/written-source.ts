import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WrittenAnswer {
  readonly body: string;
  readonly type?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A Source on loopback that answers what a test has written, path by path; what is not written is not there. */
export class WrittenSource {
  readonly answers = new Map<string, WrittenAnswer>();
  /** Paths in the order of the requests. */
  readonly asked: string[] = [];
  /** The same with the status of each answer: `304 /list.xml`. */
  readonly statuses: string[] = [];
  /** Headers of the latest request of each path. */
  readonly sent = new Map<string, IncomingHttpHeaders>();
  origin = '';
  readonly #server = createServer((request, response) => {
    const path = request.url ?? '';
    this.asked.push(path);
    this.sent.set(path, request.headers);
    const answer = this.answers.get(path);
    const etag = answer?.headers?.etag;
    if (answer && etag !== undefined && request.headers['if-none-match'] === etag) {
      this.statuses.push(`304 ${path}`);
      response.writeHead(304, answer.headers).end();
      return;
    }
    const status = answer?.status ?? (answer ? 200 : 404);
    this.statuses.push(`${status} ${path}`);
    response.writeHead(status, {
      'content-type': answer?.type ?? 'application/xml',
      ...answer?.headers,
    });
    response.end(answer?.body);
  });

  static async open(): Promise<WrittenSource> {
    const source = new WrittenSource();
    await new Promise<void>((resolve) => source.#server.listen(0, '127.0.0.1', resolve));
    source.origin = `http://127.0.0.1:${(source.#server.address() as AddressInfo).port}`;
    return source;
  }

  put(path: string, body: string, more: Omit<WrittenAnswer, 'body'> = {}): void {
    this.answers.set(path, { body, ...more });
  }

  /** Forgets what was asked. */
  turnPage(): void {
    this.asked.length = 0;
    this.statuses.length = 0;
    this.sent.clear();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export const namespaces =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"';

export function sha256(text: string): string {
  return `sha-256:${createHash('sha256').update(text).digest('hex')}`;
}

export function resourceList(entries: string, at = '2026-02-01T00:00:00Z'): string {
  return `<urlset ${namespaces}><rs:md capability="resourcelist" at="${at}"/>${entries}</urlset>`;
}

/** @param lists paths by capability */
export function capabilityList(origin: string, lists: Readonly<Record<string, string>>): string {
  const entries = Object.entries(lists).map(
    ([capability, path]) => `<url><loc>${origin}${path}</loc><rs:md capability="${capability}"/></url>`,
  );
  return `<urlset ${namespaces}><rs:md capability="capabilitylist"/>${entries.join('')}</urlset>`;
}
