import { gzipSync } from 'node:zlib';
import { parseHttpDate } from '../../core/datetime.ts';
import { type Answer, type Request, withHeaders } from './answer.ts';

/** A whole answer → what is sent of it: nothing where it is known already, the rest of it, or all, compressed where that is wanted. */
export function conditioned(answer: Answer, { headers, path }: Request, gzip: boolean): Answer {
  if (answer.status !== 200) return answer;
  if (answer.ignores !== 'conditions' && isKnown(answer, headers))
    return { ...answer, status: 304, body: Buffer.alloc(0) };
  const { range } = headers;
  if (range !== undefined && answer.ignores !== 'ranges') return ranged(answer, range, headers['if-range']);
  const isPacked = answer.headers['content-encoding'] !== undefined || path.endsWith('.zip');
  if (!gzip || isPacked || !/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\b)/.test(`${headers['accept-encoding'] ?? ''}`))
    return answer;
  const etag = answer.headers.etag?.replace(/"$/, '-gzip"');
  return {
    ...withHeaders(answer, { 'content-encoding': 'gzip', vary: 'accept-encoding', etag }),
    body: gzipSync(answer.body),
  };
}

function isKnown({ headers }: Answer, asked: Request['headers']): boolean {
  const { etag, 'last-modified': lastModified } = headers;
  const tags = asked['if-none-match'];
  if (tags !== undefined) {
    const plain = (tag: string) =>
      tag
        .trim()
        .replace(/^W\//, '')
        .replace(/-gzip"$/, '"');
    return etag !== undefined && tags.split(',').some((tag) => plain(tag) === etag || tag.trim() === '*');
  }
  const since = parseHttpDate(asked['if-modified-since'] ?? '');
  const modified = parseHttpDate(lastModified ?? '');
  return since !== undefined && modified !== undefined && modified <= since;
}

/** One range (RFC 9110 §14); several are answered with the whole. */
function ranged(answer: Answer, range: string, ifRange: unknown): Answer {
  const { etag, 'last-modified': lastModified } = answer.headers;
  if (ifRange !== undefined && ifRange !== etag && ifRange !== lastModified) return answer;
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range.trim()) ?? [];
  const { length } = answer.body;
  if (first === '' && last === '') return answer;
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  if (start > end) {
    const headers = { 'content-range': `bytes */${length}` };
    return { ...withHeaders(answer, headers), status: 416, body: Buffer.alloc(0) };
  }
  return {
    ...withHeaders(answer, { 'content-range': `bytes ${start}-${end}/${length}` }),
    status: 206,
    body: answer.body.subarray(start, end + 1),
  };
}
