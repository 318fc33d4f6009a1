import { createHash } from 'node:crypto';
import { DocumentFile, gzipMember, type WrittenFile } from './document-file.ts';
import type { StoredDocument, StoredVariant } from './pointer.ts';
import { constantSlice, type Slice } from './slices.ts';

export type DocumentFacts = Omit<StoredDocument, 'plain' | 'gzip'>;

/** A written file between constant bytes, as one document. */
export function storeDocument(
  facts: DocumentFacts,
  body: { readonly plain: WrittenFile; readonly gzip: WrittenFile } | undefined,
  head = '',
  tail = '',
): StoredDocument {
  const variant = (file: WrittenFile | undefined, encode: (text: string) => Uint8Array): StoredVariant => {
    const slices: Slice[] = [];
    const hash = createHash('sha256');
    const add = (text: string) => {
      if (text === '') return;
      const bytes = encode(text);
      slices.push(constantSlice(bytes));
      hash.update(bytes);
    };
    add(head);
    if (file) {
      slices.push({ file: file.file, start: 0, end: file.length });
      hash.update(file.digest);
    }
    add(tail);
    return { etag: toEtag(hash.digest('base64url')), slices };
  };
  return {
    ...facts,
    plain: variant(body?.plain, (text) => Buffer.from(text, 'utf8')),
    gzip: variant(body?.gzip, (text) => gzipMember(Buffer.from(text, 'utf8'))),
  };
}

/** A document that is rendered as one text. */
export async function writeDocument(
  directory: string,
  name: string,
  facts: DocumentFacts,
  text: string,
): Promise<StoredDocument> {
  const file = await DocumentFile.create(directory, name);
  try {
    await file.append(Buffer.from(text, 'utf8'));
  } catch (error) {
    await file.discard();
    throw error;
  }
  return storeDocument(facts, await file.finish());
}

/** A strong validator (RFC 9110 §8.8.3). */
export function toEtag(digest: string): string {
  return `"${digest.slice(0, 27)}"`;
}

/** The plain variant's, of a document that is one text. */
export function etagOf(text: string): string {
  const digest = createHash('sha256').update(text, 'utf8').digest('base64url');
  return toEtag(createHash('sha256').update(digest).digest('base64url'));
}
