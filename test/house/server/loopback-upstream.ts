import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A repository's web server on the loopback, which answers as a test says, and remembers what it was asked. */
export interface LoopbackUpstream {
  readonly origin: string;
  readonly port: number;
  readonly requests: readonly SeenRequest[];
  /** Connections that are open now. */
  connections(): number;
  close(): Promise<void>;
}

export interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** @param answers by path; `*` is for all others */
export async function openUpstream(answers: Readonly<Record<string, Answer>>): Promise<LoopbackUpstream> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    const answer = answers[request.url?.split('?')[0] ?? ''] ?? answers['*'];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => open,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A file as a good server gives it out: with validators, ranges and 304. */
export function fileAnswer(content: Buffer, headers: Readonly<Record<string, string>> = {}): Answer {
  const etag = headers.etag ?? '"v1"';
  return (request, response) => {
    const all = { 'content-type': 'application/pdf', 'accept-ranges': 'bytes', etag, ...headers };
    if (request.headers['if-none-match']?.includes(etag)) return void response.writeHead(304, { etag }).end();
    const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const condition = request.headers['if-range'];
    if (first === undefined || (condition !== undefined && condition !== etag)) {
      response.writeHead(200, { ...all, 'content-length': content.byteLength });
      return void response.end(request.method === 'HEAD' ? undefined : content);
    }
    const start = first === '' ? Math.max(0, content.byteLength - Number(last)) : Number(first);
    const end = first === '' || !last ? content.byteLength : Math.min(content.byteLength, Number(last) + 1);
    if (start >= end) {
      return void response.writeHead(416, { 'content-range': `bytes */${content.byteLength}` }).end();
    }
    response.writeHead(206, {
      ...all,
      'content-range': `bytes ${start}-${end - 1}/${content.byteLength}`,
      'content-length': end - start,
    });
    response.end(content.subarray(start, end));
  };
}
