import type { Variant } from '../../publish/published/publication.ts';
import { type DocumentEntry, entryStarts, readEntry } from './document-entries.ts';

export interface FoundEntries {
  readonly entries: readonly DocumentEntry[];
  /** Where to go on; absent at the end of the document. */
  readonly next?: number;
}

/** Read for one request; the next one goes on where this one stopped. */
export const searchedBytes = 16_777_216;
const longestEntry = 4_194_304;
const tailBytes = 32;

/** Entries whose text has these signs, read as a stream: of the document never more than an entry is held. */
export async function findEntries(
  { length, open }: Pick<Variant, 'length' | 'open'>,
  signs: string,
  from: number,
  most: number,
  signal: AbortSignal,
): Promise<FoundEntries> {
  const needle = Buffer.from(escapeText(signs));
  const end = Math.min(from + searchedBytes, length);
  const entries: DocumentEntry[] = [];
  let held = Buffer.alloc(0);
  let at = from;
  if (from < end)
    for await (const chunk of open(from, end)) {
      if (signal.aborted) return { entries };
      held = Buffer.concat([held, chunk as Buffer]);
      const until = endOfEntries(held);
      for (const found of entriesWith(held.subarray(0, until), needle, at)) {
        entries.push(found);
        if (entries.length === most) return { entries, ...placeBefore(found.end, length) };
      }
      const rest = held.length - until > longestEntry ? held.length : until;
      held = held.subarray(rest);
      at += rest;
    }
  // What is no whole entry is read again, unless it is all that there was.
  const next = at === from ? end : at;
  return { entries, ...placeBefore(next, length) };
}

function placeBefore(next: number, length: number): { readonly next?: number } {
  return next + tailBytes < length ? { next } : {};
}

function* entriesWith(bytes: Buffer, needle: Buffer, at: number): Generator<DocumentEntry> {
  for (let hit = bytes.indexOf(needle); hit >= 0; ) {
    const start = Math.max(...entryStarts.map((tag) => bytes.lastIndexOf(tag, hit)));
    const close = closingOf(bytes, start);
    const end = start < 0 ? -1 : bytes.indexOf(close, start) + close.length;
    // In the head of the document, or between two entries.
    const isInside = start >= 0 && end > hit;
    if (isInside) yield readEntry(bytes.subarray(start, end), at + start);
    hit = bytes.indexOf(needle, isInside ? end : hit + 1);
  }
}

function closingOf(bytes: Buffer, start: number): string {
  return start >= 0 && bytes[start + 1] === 0x73 ? '</sitemap>' : '</url>';
}

function endOfEntries(bytes: Buffer): number {
  const [url, sitemap] = [bytes.lastIndexOf('</url>'), bytes.lastIndexOf('</sitemap>')];
  return url > sitemap ? url + '</url>'.length : sitemap < 0 ? 0 : sitemap + '</sitemap>'.length;
}

/** As our documents have it. */
function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
