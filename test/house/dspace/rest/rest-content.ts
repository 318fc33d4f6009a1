import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Bitstream, md5 } from '../model.ts';
import type { Face } from './rest-json.ts';

/** The bytes of a bitstream, with what HTTP offers about them. */
export function sendContent(
  face: Face,
  bitstream: Bitstream,
  bundleName: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { coverPages, lastModified } = face.switches;
  const stored = bitstream.content();
  const covered = coverPages && bundleName === 'ORIGINAL' && bitstream.mimeType === 'application/pdf';
  const content = covered
    ? Buffer.concat([Buffer.from(`%PDF cover page, made at ${face.repository.now()}\n`), stored])
    : stored;
  const etag = face.profile.major < 8 ? md5(content) : `"${md5(content)}"`;
  response.setHeader(
    'content-type',
    `${bitstream.mimeType}${bitstream.mimeType.startsWith('text/') ? ';charset=UTF-8' : ''}`,
  );
  response.setHeader('accept-ranges', 'bytes');
  response.setHeader('etag', etag);
  if (lastModified) response.setHeader('last-modified', new Date(bitstream.storedAt).toUTCString());
  response.setHeader('cache-control', 'private,no-cache');
  response.setHeader(
    'content-disposition',
    `attachment;filename="${bitstream.name.replace(/[^\x20-\x7e]|"/g, '?')}"`,
  );
  if (isFresh(request, etag, lastModified ? bitstream.storedAt : undefined)) {
    response.writeHead(304).end();
    return;
  }
  const range = rangeOf(request.headers.range, content.length);
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
    return;
  }
  const [from, to] = range ?? [0, content.length - 1];
  const part = range === undefined ? content : content.subarray(from, to + 1);
  response.setHeader('content-length', part.length);
  if (range !== undefined) response.setHeader('content-range', `bytes ${from}-${to}/${content.length}`);
  response.writeHead(range === undefined ? 200 : 206);
  response.end(request.method === 'HEAD' ? undefined : part);
}

function isFresh(request: IncomingMessage, etag: string, storedAt: number | undefined): boolean {
  const tags = request.headers['if-none-match'];
  if (tags !== undefined) return tags === '*' || tags.split(',').some((tag) => bare(tag) === bare(etag));
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  return storedAt !== undefined && Math.floor(storedAt / 1000) * 1000 <= since;
}

function bare(tag: string): string {
  return tag.trim().replace(/^W\//, '').replaceAll('"', '');
}

function rangeOf(header: string | undefined, length: number): [number, number] | 'unsatisfiable' | undefined {
  const range = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (range === null) return undefined;
  const [, first = '', last = ''] = range;
  if (first === '') return last === '' ? undefined : [Math.max(0, length - Number(last)), length - 1];
  const from = Number(first);
  const to = last === '' ? length - 1 : Math.min(Number(last), length - 1);
  return from >= length || to < from ? 'unsatisfiable' : [from, to];
}
