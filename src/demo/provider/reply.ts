import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** What the repository answers to a request. */
export interface Reply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Uint8Array;
}

/** In a sentence. */
export function sentence(status: number, words: string, headers: OutgoingHttpHeaders = {}): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: `${words}\n` };
}

/** Node.js leaves the body out in answer to HEAD. */
export function send(response: ServerResponse, { status, headers, body }: Reply): void {
  // RFC 9110 §15.4.5: the length that 304 would state is that of the 200 it stands for.
  const length = status === 304 ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length });
  response.end(body);
}
