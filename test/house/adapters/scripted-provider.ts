import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What to answer: the body, a status, or complete control over the response. */
export type Answer =
  | string
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string | Buffer }
  | ((response: ServerResponse) => void);

export type Script = (query: URLSearchParams, nth: number, rawUrl: string) => Answer;

export interface Provider {
  readonly url: string;
  /** The queries of all requests so far, raw. */
  readonly requests: string[];
}

/** A repository on the loopback interface that answers by a script and is gone after the test. */
export async function provide(script: Script): Promise<Provider> {
  const requests: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const url = request.url ?? '/';
    requests.push(url);
    const query = new URL(url, 'http://127.0.0.1').searchParams;
    const answer = script(query, requests.length, url);
    if (typeof answer === 'function') return answer(response);
    const { status = 200, headers = {}, body } = typeof answer === 'string' ? { body: answer } : answer;
    response.writeHead(status, { 'content-type': 'text/xml', ...headers });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/oai`, requests };
}

export const oaiDc =
  'xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"';

export function envelope(content: string, attributes = ''): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ${attributes}>` +
    `<responseDate>2026-11-20T10:00:00Z</responseDate><request>http://repo.example.org/oai</request>${content}</OAI-PMH>`
  );
}

export function record(
  identifier: string,
  metadata = `<dc:title>${identifier}</dc:title>`,
  status = '',
): string {
  return (
    `<record><header${status}><identifier>${identifier}</identifier><datestamp>2026-01-02</datestamp><setSpec>a</setSpec></header>` +
    `<metadata><oai_dc:dc ${oaiDc}>${metadata}</oai_dc:dc></metadata></record>`
  );
}

export function list(records: readonly string[], token = ''): string {
  return envelope(`<ListRecords>${records.join('\n')}${token}</ListRecords>`);
}

export function failure(code: string, text = 'no'): string {
  return envelope(`<error code="${code}">${text}</error>`);
}

export const formats = envelope(
  '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema/>' +
    '<metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>',
);

export function identity(granularity = 'YYYY-MM-DDThh:mm:ssZ'): string {
  return envelope(
    '<Identify><repositoryName>Test &amp; Co</repositoryName><baseURL>http://repo.example.org/oai</baseURL>' +
      '<protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>aaaa-bb-cc</earliestDatestamp>' +
      `<deletedRecord>persistent</deletedRecord><granularity>${granularity}</granularity></Identify>`,
  );
}

/** Answers everything but ListRecords in the ordinary way. */
export function repository(listRecords: Script, granularity?: string): Script {
  let nth = 0;
  return (query, _nth, url) => {
    switch (query.get('verb')) {
      case 'Identify':
        return identity(granularity);
      case 'ListMetadataFormats':
        return formats;
      case 'ListRecords':
        nth += 1;
        return listRecords(query, nth, url);
      default:
        return failure('badVerb');
    }
  };
}
