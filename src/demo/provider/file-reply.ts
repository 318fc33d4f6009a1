import type { IncomingMessage } from 'node:http';
import { parseHttpDate, toHttpDate } from '../../core/datetime.ts';
import { contentOf } from '../files/file-content.ts';
import { pageUrl } from '../records/addresses.ts';
import type { SampleFile, SampleRecord } from '../records/sample-record.ts';
import { mediaTypes } from '../records/sample-record.ts';
import { type Reply, sentence } from './reply.ts';

export interface AskedFile {
  readonly record: SampleRecord;
  /** Undefined: there is none, or no more. */
  readonly file: SampleFile | undefined;
  readonly baseUrl: string;
  /** ISO UTC. */
  readonly now: string;
}

type Asking = Pick<IncomingMessage, 'method' | 'headers'>;

/** As a good web server does: conditions, one range, a door before what is not for everybody. */
export function replyWithFile(request: Asking, { record, file, baseUrl, now }: AskedFile): Reply {
  if (record.deleted) return sentence(410, 'This work was withdrawn.');
  if (file === undefined) return sentence(404, 'There is no such file.');
  if (file.access === 'restricted') {
    const realm = 'Basic realm="The Sample Library", charset="UTF-8"';
    return sentence(401, 'For members of the library.', { 'www-authenticate': realm });
  }
  if (file.access === 'embargoed' && (file.availableAt === undefined || file.availableAt > now)) {
    return sentence(403, 'Not before its time.');
  }
  const { bytes, etag } = contentOf(file);
  const lastModified = toHttpDate(file.modifiedAt);
  const headers = {
    'content-type':
      mediaTypes[file.kind] + (file.kind === 'dataset' ? '; charset=utf-8; header=present' : ''),
    'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    etag,
    'last-modified': lastModified,
    'accept-ranges': 'bytes',
    link: `<${pageUrl(record, baseUrl)}>; rel="collection"; type="text/html"`,
  };
  if (isUnchanged(request, etag, file.modifiedAt)) return { status: 304, headers, body: '' };
  const size = bytes.byteLength;
  const range = isWanted(request, etag, lastModified) ? readRange(request.headers.range, size) : undefined;
  if (range === undefined) return { status: 200, headers, body: bytes };
  if (range === 'unsatisfiable') {
    return sentence(416, 'There is no such range.', { 'content-range': `bytes */${size}` });
  }
  const [first, last] = range;
  const partial = { ...headers, 'content-range': `bytes ${first}-${last}/${size}` };
  return { status: 206, headers: partial, body: bytes.subarray(first, last + 1) };
}

/** RFC 9110 §13.2.2: the date counts only where there is no tag. */
function isUnchanged({ headers }: Asking, etag: string, modifiedAt: string): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
  }
  const since = parseHttpDate(headers['if-modified-since'] ?? '');
  return since !== undefined && modifiedAt <= since;
}

/** `If-Range`: a part of what the client has already, or else the whole. */
function isWanted({ method, headers }: Asking, etag: string, lastModified: string): boolean {
  const condition = headers['if-range'];
  return method === 'GET' && (condition === undefined || condition === etag || condition === lastModified);
}

/** Of several ranges, and of other units, nothing is given but the whole. */
function readRange(
  value: string | undefined,
  length: number,
): readonly [first: number, last: number] | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(value ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(from) > Number(to)) return undefined;
  const first = from === '' ? Math.max(0, length - Number(to)) : Number(from);
  const last = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  return first > last ? 'unsatisfiable' : [first, last];
}
