import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Misbehaviour } from './misbehaviour.ts';
import { latin1Mark } from './record-xml.ts';

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Text that was to be a document of the protocol, and is treated like one. */
  readonly isDocument: boolean;
  readonly cutOff: 'connection' | 'body' | undefined;
}

/** Puts an answer on the wire, with all that goes wrong there. */
export function send(
  response: ServerResponse,
  answer: WireAnswer,
  acceptsGzip: boolean,
  wrong: Misbehaviour,
): void {
  const { status, isDocument, cutOff } = answer;
  const text = cutOff === 'body' ? answer.text.slice(0, answer.text.length * 0.6) : answer.text;
  const bytes = isDocument ? encode(text, wrong) : Buffer.from(text, 'utf8');
  const { body, coding } = isDocument ? pack(bytes, acceptsGzip, wrong) : { body: bytes, coding: undefined };
  response.writeHead(status, {
    'content-type': isDocument ? contentType(wrong) : 'text/html; charset=utf-8',
    ...(coding === undefined ? {} : { 'content-encoding': coding }),
    ...(cutOff === 'connection' ? {} : { 'content-length': body.byteLength }),
    ...answer.headers,
  });
  if (cutOff !== 'connection') {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, body.byteLength * 0.7), () => response.destroy());
}

function contentType({ encoding }: Misbehaviour): string {
  return `text/xml; charset=${encoding === 'ISO-8859-1 in the header only' ? 'ISO-8859-1' : 'UTF-8'}`;
}

function encode(text: string, { encoding }: Misbehaviour): Buffer {
  // As if declared so: what Latin-1 does not have becomes a reference.
  if (encoding === 'ISO-8859-1 declared') {
    const written = text
      .replace(/^\uFEFF/, '')
      .replaceAll(latin1Mark, 'é')
      .replace(/[\u0100-\u{10ffff}]/gu, (character) => `&#${character.codePointAt(0)};`);
    return Buffer.from(written, 'latin1');
  }
  const pieces = text.split(latin1Mark).map((piece) => Buffer.from(piece, 'utf8'));
  return Buffer.concat(
    pieces.flatMap((piece, index) => (index === 0 ? [piece] : [Buffer.from([0xe9]), piece])),
  );
}

function pack(
  bytes: Buffer,
  acceptsGzip: boolean,
  { gzip }: Misbehaviour,
): { body: Buffer; coding: string | undefined } {
  if (gzip === 'declared only') return { body: bytes, coding: 'gzip' };
  if (gzip === 'undeclared') return { body: gzipSync(bytes), coding: undefined };
  if (gzip === undefined || !acceptsGzip) return { body: bytes, coding: undefined };
  const packed = gzipSync(bytes);
  // Bytes in the middle that are not those that were compressed.
  const middle = Math.floor(packed.byteLength / 2);
  if (gzip === 'broken') packed.fill(0xff, middle, middle + 20);
  return { body: packed, coding: 'gzip' };
}
