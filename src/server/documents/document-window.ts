import { buffer } from 'node:stream/consumers';
import type { Variant } from '../../publish/published/publication.ts';
import { type DocumentEntry, type DocumentHead, readEntries, readHead } from './document-entries.ts';

/** A part of a document. It costs what the part costs, however long the document is. */
export interface DocumentPart {
  readonly head: DocumentHead;
  /** In the order of the document. */
  readonly entries: readonly DocumentEntry[];
  /** Where what comes before ends, and where what comes behind begins; absent where there is nothing. */
  readonly before?: number;
  readonly behind?: number;
}

type Bytes = Pick<Variant, 'length' | 'open' | 'whole'>;

const headBytes = 4096;
const firstWindow = 65_536;
/** Of one with fewer entries no more is read at once. */
const largeWindow = 1_048_576;
/** Longer than any entry should be. */
const largestWindow = 4_194_304;
/** Behind the last entry stands the end tag of the document. */
const tailBytes = 32;

/** @param from a byte: the entries that begin there or behind it */
export async function readBehind(document: Bytes, from: number, most: number): Promise<DocumentPart> {
  const head = await headOf(document);
  const start = Math.max(from, head.length);
  for (let size = firstWindow; ; size *= 4) {
    const end = Math.min(start + size, document.length);
    const found = start >= end ? [] : readEntries(await read(document, start, end), start);
    if (end < document.length && isWorthMore(found.length, most, size)) continue;
    const entries = found.slice(0, most);
    return partOf(document, head, entries, entries.at(-1)?.end ?? end, entries[0]?.start ?? start);
  }
}

/** @param until a byte: the last entries that end there or before it */
export async function readBefore(document: Bytes, until: number, most: number): Promise<DocumentPart> {
  const head = await headOf(document);
  const end = Math.min(until, document.length);
  for (let size = firstWindow; ; size *= 4) {
    const start = Math.max(end - size, head.length);
    const found = start >= end ? [] : readEntries(await read(document, start, end), start);
    if (start > head.length && isWorthMore(found.length, most, size)) continue;
    const entries = found.slice(-most);
    return partOf(document, head, entries, entries.at(-1)?.end ?? end, entries[0]?.start ?? start);
  }
}

function isWorthMore(found: number, most: number, size: number): boolean {
  return found < most && size < (found === 0 ? largestWindow : largeWindow);
}

function partOf(
  { length }: Bytes,
  head: DocumentHead,
  entries: readonly DocumentEntry[],
  end: number,
  start: number,
): DocumentPart {
  return {
    head,
    entries,
    ...(start > head.length && { before: start }),
    ...(end + tailBytes < length && { behind: end }),
  };
}

export async function headOf(document: Bytes): Promise<DocumentHead> {
  return readHead(await read(document, 0, Math.min(headBytes, document.length)));
}

async function read({ whole, open }: Bytes, start: number, end: number): Promise<Buffer> {
  return (await whole?.())?.subarray(start, end) ?? buffer(open(start, end));
}
