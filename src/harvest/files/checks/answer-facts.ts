import type { HttpResponse } from '../../../core/adapter.ts';
import { parseHttpDate } from '../../../core/datetime.ts';

/** What a server says of a file beside its bytes. */
export interface AnswerFacts {
  /** `type/subtype` in lower case, without parameters. */
  readonly mediaType: string | undefined;
  /** Octets of the whole file in the identity coding. */
  readonly length: number | undefined;
  /** Verbatim. */
  readonly etag: string | undefined;
  /** ISO UTC. */
  readonly lastModified: string | undefined;
}

export function readFacts({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): AnswerFacts {
  return {
    mediaType: mediaTypeOf(headers['content-type']),
    length: lengthOf(status, headers),
    etag: etagOf(headers.etag),
    lastModified: parseHttpDate(headers['last-modified'] ?? ''),
  };
}

/** The whole length in `bytes 0-0/1234` (RFC 9110 §14.4), and where the part begins; undefined for anything else. */
export function parseContentRange(
  value: string | undefined,
): { readonly start: number | undefined; readonly total: number | undefined } | undefined {
  const match = /^bytes\s+(?:(\d+)-\d+|\*)\/(?:(\d+)|\*)$/i.exec((value ?? '').trim());
  return match ? { start: octets(match[1]), total: octets(match[2]) } : undefined;
}

const vague =
  /^(?:application\/(?:x-)?(?:download|force-download|binary|unknown)|binary\/octet-stream|unknown\/unknown)$/;

function mediaTypeOf(value: string | undefined): string | undefined {
  const type = (value ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!/^[\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80}$/.test(type)) return undefined;
  return vague.test(type) ? 'application/octet-stream' : type;
}

function lengthOf(status: number, headers: HttpResponse['headers']): number | undefined {
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding !== 'identity' && coding !== '') return undefined;
  if (status === 206 || status === 416) return parseContentRange(headers['content-range'])?.total;
  return octets(headers['content-length']?.trim());
}

function octets(text: string | undefined): number | undefined {
  const number = /^\d{1,16}$/.test(text ?? '') ? Number(text) : undefined;
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
}

/** It is sent back one day: only what can be part of a header, and no novel. */
function etagOf(value: string | undefined): string | undefined {
  return value !== undefined && /^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(value) ? value : undefined;
}
