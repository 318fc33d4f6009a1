import { createHash } from 'node:crypto';
import { DocumentFile, type WrittenFile, type WrittenTwins } from './document-file.ts';
import { deflatePiece, extentOf, gzipEnd, gzipHead, joinExtents } from './gzip-pieces.ts';
import type { StoredDocument, StoredVariant } from './pointer.ts';
import { constantSlice, type Slice } from './slices.ts';

export type DocumentFacts = Omit<StoredDocument, 'plain' | 'gzip'>;

/** A written file between constant texts, as one document. */
export function storeDocument(
  facts: DocumentFacts,
  body: WrittenTwins,
  head = '',
  tail = '',
): StoredDocument {
  const [first, last] = [Buffer.from(head, 'utf8'), Buffer.from(tail, 'utf8')];
  const before = joinExtents(extentOf(first), { crc: body.crc, length: body.plain.length });
  return {
    ...facts,
    plain: storeVariant(first, body.plain, last),
    gzip: storeVariant(
      first.length > 0 ? Buffer.concat([gzipHead, deflatePiece(first)]) : gzipHead,
      body.deflated,
      gzipEnd(before, last),
    ),
  };
}

function storeVariant(first: Buffer, file: WrittenFile, last: Buffer): StoredVariant {
  const hash = createHash('sha256').update(first).update(file.digest).update(last);
  const slices: Slice[] = [{ file: file.file, start: file.start, end: file.start + file.length }];
  if (first.length > 0) slices.unshift(constantSlice(first));
  if (last.length > 0) slices.push(constantSlice(last));
  return { etag: toEtag(hash.digest('base64url')), slices };
}

/** A document that is rendered as one text; `etagOf` tells whether that has changed. */
export async function writeDocument(
  directory: string,
  name: string,
  facts: DocumentFacts,
  text: string,
): Promise<StoredDocument> {
  const file = new DocumentFile(directory, name);
  const bytes = Buffer.from(text, 'utf8');
  try {
    await file.append(bytes);
  } catch (error) {
    await file.discard();
    throw error;
  }
  const { plain, ...twins } = await file.finish();
  return storeDocument(facts, { ...twins, plain: { ...plain, digest: digestOf(bytes) } });
}

/** A strong validator (RFC 9110 §8.8.3). */
export function toEtag(digest: string): string {
  return `"${digest.slice(0, 27)}"`;
}

/** The plain variant's, of a document that is one text. */
export function etagOf(text: string): string {
  return toEtag(digestOf(digestOf(text)));
}

function digestOf(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('base64url');
}
