import { createHash, randomUUID } from 'node:crypto';

/** A record of WARC 1.1, without its block. */
export interface WarcRecord {
  readonly type: 'warcinfo' | 'response' | 'resource' | 'revisit' | 'metadata';
  /** `urn:uuid:…` */
  readonly id: string;
  /** ISO UTC. */
  readonly date: string;
  readonly targetUri?: string | undefined;
  readonly contentType?: string | undefined;
  /** `sha1:` and base32, as web archives have it. */
  readonly payloadDigest?: string | undefined;
  readonly refersTo?: RecordPointer | undefined;
  readonly fileName?: string | undefined;
}

export interface RecordPointer {
  readonly id: string;
  readonly date: string;
  readonly uri: string;
}

export const identicalPayload = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';

export function newRecordId(): string {
  return `urn:uuid:${randomUUID()}`;
}

/** @param block its length, and its digest where it has been read */
export function recordHead(
  record: WarcRecord,
  block: { readonly length: number; readonly digest: string | undefined },
): Buffer {
  const { type, id, date, targetUri, contentType, payloadDigest, refersTo, fileName } = record;
  const fields: [string, string | undefined][] = [
    ['WARC-Type', type],
    ['WARC-Record-ID', `<${id}>`],
    ['WARC-Date', date],
    ['WARC-Target-URI', targetUri],
    ['WARC-Filename', fileName],
    ['WARC-Profile', type === 'revisit' ? identicalPayload : undefined],
    ['WARC-Refers-To', refersTo && `<${refersTo.id}>`],
    ['WARC-Refers-To-Target-URI', type === 'revisit' ? refersTo?.uri : undefined],
    ['WARC-Refers-To-Date', type === 'revisit' ? refersTo?.date : undefined],
    ['WARC-Payload-Digest', payloadDigest],
    ['WARC-Block-Digest', block.digest],
    ['Content-Type', contentType],
    ['Content-Length', String(block.length)],
  ];
  const lines = fields.flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}\r\n`));
  return Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`);
}

/** What stands behind the block of every record. */
export const recordEnd = Buffer.from('\r\n\r\n');

/** What is said of the transport alone, or to one client alone, is no part of what is kept. */
const dropped =
  /^(?:connection|keep-alive|transfer-encoding|content-encoding|content-length|set-cookie2?|trailer|te|upgrade|proxy-.*)$/;

/** The header of an answer, as it stands before the payload. */
export function httpHead(
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  length: number,
): Buffer {
  const lines = Object.entries(headers)
    .filter(([name, value]) => value !== undefined && !dropped.test(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${String(value).replace(/[\r\n]+/g, ' ')}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} OK\r\n${lines.join('')}content-length: ${length}\r\n\r\n`, 'latin1');
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** `sha1:` and base32 (RFC 4648 §6) of bytes that pass by. */
export class Sha1 {
  readonly #hash = createHash('sha1');

  update(chunk: Uint8Array): this {
    this.#hash.update(chunk);
    return this;
  }

  /** To be called once. */
  digest(): string {
    let [text, bits, held] = ['sha1:', 0, 0];
    for (const octet of this.#hash.digest()) {
      held = ((held << 8) | octet) & 0xfff;
      bits += 8;
      while (bits >= 5) {
        bits -= 5;
        text += alphabet[(held >> bits) & 31];
      }
    }
    return text;
  }
}
