import { isUtf8 } from 'node:buffer';

export interface DecodedText {
  readonly text: string;
  /** The text stands for bytes that were not valid in the encoding of the response. */
  readonly damaged: boolean;
}

/**
 * Bytes to text as they arrive.
 *
 * A declared encoding (byte order mark, XML declaration, charset parameter; quirk 76) is used as declared.
 * In UTF-8, each byte that belongs to no valid sequence is read as windows-1252, and that text is delivered
 * separately as damaged, so that the record it falls into can be marked. Byte by byte, because real damage
 * is mixed: one pasted Latin-1 value in a page of Japanese must not turn its neighbours into mojibake, and a
 * page that is windows-1252 throughout comes out right as well. Nothing is fetched twice and nothing buffered.
 */
export async function* decodeXml(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
): AsyncGenerator<DecodedText> {
  let head: Buffer | undefined = Buffer.alloc(0);
  let decode: ((bytes: Buffer, last: boolean) => DecodedText[]) | undefined;
  for await (const chunk of body) {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (decode === undefined) {
      // The XML declaration decides, so wait until it must have arrived.
      head = Buffer.concat([head ?? Buffer.alloc(0), bytes]);
      if (head.length < 200 && !head.includes('?>')) continue;
      bytes = head;
      head = undefined;
      decode = decoderFor(bytes, contentType);
    }
    yield* decode(bytes, false);
  }
  if (decode === undefined)
    yield* decoderFor(head ?? Buffer.alloc(0), contentType)(head ?? Buffer.alloc(0), true);
  else yield* decode(Buffer.alloc(0), true);
}

function decoderFor(
  head: Buffer,
  contentType: string | undefined,
): (bytes: Buffer, last: boolean) => DecodedText[] {
  const declared = declaredEncoding(head);
  const label = declared ?? known(/charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '')?.[1]) ?? 'utf-8';
  // A header that says Latin-1 is often only the web server's default: UTF-8 is believed where it is valid.
  const single = declared === undefined && label === 'windows-1252';
  if (label === 'utf-8' || single) return utf8Decoder(!single);
  if (label === 'windows-1252') return (bytes) => [{ text: windows1252(bytes), damaged: false }];
  const decoder = new TextDecoder(label, { ignoreBOM: false });
  return (bytes, last) => [{ text: decoder.decode(bytes, { stream: !last }), damaged: false }];
}

function declaredEncoding(head: Buffer): string | undefined {
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0 && head[1] === 0x3c) return 'utf-16be';
  if (head[0] === 0x3c && head[1] === 0) return 'utf-16le';
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
  const start = head.toString('latin1', 0, 200);
  return known(/^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1]);
}

/** The encoding that a label means; what calls itself UTF-16 in readable ASCII is not UTF-16. */
function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    const { encoding } = new TextDecoder(label);
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
  } catch {
    return undefined;
  }
}

function utf8Decoder(strict: boolean): (bytes: Buffer, last: boolean) => DecodedText[] {
  let carry: Buffer = Buffer.alloc(0);
  return (bytes, last) => {
    const all = carry.length === 0 ? bytes : Buffer.concat([carry, bytes]);
    const complete = last ? all.length : all.length - unfinished(all);
    // A copy: the chunk may be a view on memory that its owner reuses.
    carry = Buffer.from(all.subarray(complete));
    const whole = all.subarray(0, complete);
    return isUtf8(whole) ? [{ text: whole.toString('utf8'), damaged: false }] : mixed(whole, strict);
  };
}

/** Length of a multi-byte sequence that has begun but not ended at the end of the bytes. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0) return lead <= 0xef ? 3 : 1;
  return lead >= 0xc2 ? 2 : 1;
}

const highControls = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Node 20's TextDecoder takes windows-1252 for Latin-1, without its quotation marks and dashes. */
function windows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (character) => highControls.charAt(character.charCodeAt(0) - 0x80));
}

function mixed(bytes: Buffer, damaged: boolean): DecodedText[] {
  const pieces: DecodedText[] = [];
  let good = 0;
  let index = 0;
  while (index < bytes.length) {
    const lead = bytes[index] ?? 0;
    const length = lead < 0x80 ? 1 : sequenceLength(lead);
    if (
      lead < 0x80 ||
      (length > 1 && isUtf8(bytes.subarray(index, index + length)) && index + length <= bytes.length)
    ) {
      index += length;
      continue;
    }
    if (index > good) pieces.push({ text: bytes.toString('utf8', good, index), damaged: false });
    pieces.push({ text: windows1252(bytes.subarray(index, index + 1)), damaged });
    index += 1;
    good = index;
  }
  if (index > good) pieces.push({ text: bytes.toString('utf8', good, index), damaged: false });
  return pieces;
}
