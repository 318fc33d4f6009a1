/** A document of ours as its bytes have it: nothing else writes them, so no more of XML is understood than we write. */

export interface DocumentHead {
  readonly isIndex: boolean;
  /** Attributes of the `rs:md` of the root. */
  readonly md: Attributes;
  readonly links: readonly Attributes[];
  /** Where the first entry begins, or would. */
  readonly length: number;
}

export interface DocumentEntry {
  /** Of its bytes in the document: from here up to, not including, `end`. */
  readonly start: number;
  readonly end: number;
  readonly loc: string;
  readonly lastmod: string | undefined;
  readonly md: Attributes;
  readonly links: readonly Attributes[];
}

export type Attributes = Readonly<Record<string, string>>;

export const entryStarts = ['<url>', '<sitemap>'] as const;
const entry = /<(url|sitemap)>.*?<\/\1>/gs;

/** @param bytes of its beginning */
export function readHead(bytes: Buffer): DocumentHead {
  const text = bytes.toString('latin1');
  const first = text.search(/<(?:url|sitemap)>|<\/(?:urlset|sitemapindex)>/);
  const length = first < 0 ? bytes.length : first;
  const head = bytes.toString('utf8', 0, length);
  return { isIndex: head.includes('<sitemapindex'), ...readMetadata(head), length };
}

/** Those that are there as a whole. @param at where the bytes are in the document */
export function readEntries(bytes: Buffer, at: number): DocumentEntry[] {
  // One character for each byte: places are those in the document.
  const places = [...bytes.toString('latin1').matchAll(entry)];
  return places.map(({ index, 0: { length } }) =>
    readEntry(bytes.subarray(index, index + length), at + index),
  );
}

export function readEntry(bytes: Buffer, start: number): DocumentEntry {
  const text = bytes.toString('utf8');
  const inside = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  const lastmod = inside('lastmod');
  return {
    start,
    end: start + bytes.length,
    loc: unescapeXml(inside('loc') ?? ''),
    lastmod: lastmod === undefined ? undefined : unescapeXml(lastmod),
    ...readMetadata(text),
  };
}

function readMetadata(text: string): { readonly md: Attributes; readonly links: readonly Attributes[] } {
  const elements = [...text.matchAll(/<rs:(md|ln)\b([^>]*)>/g)];
  const md = elements.find(([, name]) => name === 'md')?.[2] ?? '';
  return {
    md: readAttributes(md),
    links: elements
      .filter(([, name]) => name === 'ln')
      .map(([, , attributes = '']) => readAttributes(attributes)),
  };
}

function readAttributes(text: string): Attributes {
  return Object.fromEntries(
    [...text.matchAll(/([A-Za-z][\w:-]*)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      unescapeXml(value),
    ]),
  );
}

const entities: Attributes = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\dA-Fa-f]+)|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
