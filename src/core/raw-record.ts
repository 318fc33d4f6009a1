/** A record that could not be read, as it came. */
export interface RawRecord {
  /** Its beginning, where it is long. */
  readonly text: string;
  /** Octets of all of it. */
  readonly length: number;
}

/** So much of it is kept, in octets. */
const keptRawBytes = 65_536;

export function rawRecord(text: string): RawRecord {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= keptRawBytes) return { text, length: bytes.length };
  return { text: cutText(bytes), length: bytes.length };
}

/** Characters are not cut in two. */
function cutText(bytes: Buffer): string {
  let end = keptRawBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
