import { createHash } from 'node:crypto';

/**
 * The escape that turns any upstream identifier into one URI path segment (design: URIs).
 *
 * `A–Z a–z 0–9 . _ : -` stay, every other byte of the UTF-8 becomes `~HH`. The result is plain ASCII
 * without `%` or `/`, so it survives Apache's `AllowEncodedSlashes Off`, nginx's normalisation, and
 * rs-aggregator's decoding. Three kinds of identifiers have an escape of their own, each of which the plain
 * one can never produce: dots alone (`..` → `~2E~2E`, else a path climbs), the empty one (`~-`), and those
 * whose escape is over 200 bytes (a prefix, `~.`, and the SHA-256 of the identifier).
 */

const maximum = 200;
const plain = /^[A-Za-z0-9._:-]+$/;
const dotsOnly = /^\.+$/;
const digestMark = '~.';

const escapedByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return byte < 128 && plain.test(character)
    ? character
    : `~${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});

/** Of ASCII, those that are written so and not as they are. */
const escapedAscii = /^(?:[A-Za-z0-9._:-]|~(?:[01][0-9A-F]|2[0-9A-CF]|3[B-F]|40|5[B-E]|60|7[B-F]))+$/;
const ascii = new Map(escapedByte.map((octet, byte) => [octet, String.fromCharCode(byte)]));
/** Injective, ASCII, 1–200 bytes, never `.` or `..`. Lone surrogates are kept apart as WTF-8 bytes. */
export function toSegment(identifier: string): string {
  if (identifier === '') return '~-';
  if (plain.test(identifier) && !dotsOnly.test(identifier) && identifier.length <= maximum) return identifier;
  const bytes = toBytes(identifier);
  let escaped = '';
  if (dotsOnly.test(identifier)) escaped = '~2E'.repeat(identifier.length);
  else for (const byte of bytes) escaped += escapedByte[byte];
  return escaped.length <= maximum ? escaped : shorten(escaped, bytes);
}

/**
 * The identifier of a segment; undefined when it is no segment of ours, or a shortened one (which only the
 * store can look up).
 */
export function fromSegment(segment: string): string | undefined {
  if (segment === '~-') return '';
  // Nearly all of them, and the addresses of whole lists are read.
  if (plain.test(segment) && segment.length <= maximum) return dotsOnly.test(segment) ? undefined : segment;
  if (segment.length <= maximum && escapedAscii.test(segment)) return fromAscii(segment);
  if (!/^(?:[A-Za-z0-9._:-]|~[0-9A-F]{2})+$/.test(segment) || segment.length > maximum) return undefined;
  const bytes: number[] = [];
  for (let index = 0; index < segment.length; index += 1) {
    if (segment[index] === '~') {
      bytes.push(Number.parseInt(segment.slice(index + 1, index + 3), 16));
      index += 2;
    } else {
      bytes.push(segment.charCodeAt(index));
    }
  }
  const identifier = fromBytes(Uint8Array.from(bytes));
  // Only the canonical spelling names an item: `~41` is not another name of `A`.
  return identifier !== undefined && toSegment(identifier) === segment ? identifier : undefined;
}

/** Of a segment with no other octets than ASCII. An expression that replaces takes three times as long. */
function fromAscii(segment: string): string {
  let text = '';
  let start = 0;
  for (let at = segment.indexOf('~'); at >= 0; at = segment.indexOf('~', start)) {
    text += segment.slice(start, at) + (ascii.get(segment.slice(at, at + 3)) ?? '');
    start = at + 3;
  }
  return text + segment.slice(start);
}

/**
 * The identifier of a segment as `encodeURIComponent` writes it: a list has one in each entry, nearly always in ASCII.
 * @returns undefined where `fromSegment` has to be asked
 */
export function encodeSegment(segment: string): string | undefined {
  if (segment.length > maximum || dotsOnly.test(segment)) return undefined;
  // An expression that replaces takes three times as long.
  let text = '';
  let start = 0;
  for (let at = 0; at < segment.length; at += 1) {
    const code = segment.charCodeAt(at);
    if (stays[code] === 1) continue;
    const octet = code === tilde ? segment.slice(at, at + 3) : segment.charAt(at);
    const written = escapes.get(octet);
    if (written === undefined) return undefined;
    text += segment.slice(start, at) + written;
    at += octet.length - 1;
    start = at + 1;
  }
  return segment.length === 0 ? undefined : text + segment.slice(start);
}

const tilde = 126;
/** By code: what an address has as a segment has it. */
const stays = Uint8Array.from({ length: 128 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return plain.test(character) && encodeURIComponent(character) === character ? 1 : 0;
});
/** The colon, and what a segment escapes of ASCII. */
const escapes = new Map(
  [...ascii]
    .filter(([octet, character]) => octet === ':' || (octet.length === 3 && character < '\u0080'))
    .map(([octet, character]) => [octet, encodeURIComponent(character)]),
);

function shorten(escaped: string, bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest('hex');
  const room = maximum - digestMark.length - digest.length;
  // Do not cut an escape in two: the prefix stays readable.
  const prefix = escaped.slice(0, room).replace(/~[0-9A-F]?$/, '');
  return `${prefix}${digestMark}${digest}`;
}

const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function toBytes(text: string): Uint8Array {
  if (!loneSurrogate.test(text)) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const lone = code >= 0xd800 && code <= 0xdfff;
    parts.push(
      lone
        ? Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)])
        : Buffer.from(character, 'utf8'),
    );
  }
  return Buffer.concat(parts);
}

/** Decodes UTF-8 in which lone surrogates stand as three bytes each. */
function fromBytes(bytes: Uint8Array): string | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let start = 0;
  const flush = (end: number) => {
    text += decoder.decode(bytes.subarray(start, end));
  };
  try {
    for (let index = 0; index + 2 < bytes.length; index += 1) {
      const second = bytes[index + 1] ?? 0;
      if (bytes[index] !== 0xed || second < 0xa0) continue;
      flush(index);
      text += String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | ((bytes[index + 2] ?? 0) & 0x3f));
      start = index + 3;
      index += 2;
    }
    flush(bytes.length);
    return text;
  } catch {
    return undefined;
  }
}
