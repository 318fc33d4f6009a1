import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { unreadable } from './errors.ts';

const endOfHead = '\r\n\r\n';

interface ParserError extends Error {
  readonly code?: string | undefined;
  /** What had been read when it failed, and how far that was understood. */
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number | undefined;
}

/**
 * Bytes that are not even a request: there is no reply object to answer with. The connection ends.
 * @param isBusy an answer is under way on the connection, which another one would only corrupt
 */
export function refuseClient(error: ParserError, socket: Socket, isBusy: boolean): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isBusy) {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = Buffer.from(`${JSON.stringify(unreadable(status), null, 2)}\n`);
  const isWanted = wantsBody(error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    ...(isWanted === undefined
      ? ['Content-Length: 0']
      : ['Content-Type: application/problem+json', `Content-Length: ${body.byteLength}`]),
    'Cache-Control: no-cache',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '\r\n',
  ].join('\r\n');
  socket.end(Buffer.concat([Buffer.from(head, 'latin1'), isWanted === true ? body : Buffer.alloc(0)]), () =>
    socket.destroy(),
  );
}

/**
 * The answer to a HEAD has no body (RFC 9110 §9.3.2).
 * @returns undefined where it is not known what the request was: then nothing that could be taken for the next answer
 */
function wantsBody({ rawPacket, bytesParsed }: ParserError): boolean | undefined {
  const seen = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  // The requests before it, of the same packet, have ended.
  const before = seen.lastIndexOf(endOfHead, (bytesParsed ?? 0) - endOfHead.length);
  const [, method] = /^\s*([A-Z]+) /.exec(before < 0 ? seen : seen.slice(before + endOfHead.length)) ?? [];
  return method === undefined ? undefined : method !== 'HEAD';
}
