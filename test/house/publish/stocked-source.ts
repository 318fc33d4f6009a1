import { createHash } from 'node:crypto';
import type { ChangeKind, Link } from '../../../src/core/resource.ts';
import { insertRows } from '../../../src/store/engine/bulk.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { packBlob } from '../../../src/store/payloads/blobs.ts';
import type { ChangeEntry, ResourceEntry } from '../../../src/store/reading/listing.ts';
import { keepContent } from '../store/kept-content.ts';

export const hashOf = (content: Uint8Array) =>
  `sha-256:${createHash('sha256').update(content).digest('hex')}`;

/** A content with the facts that entries state of it; `large` ones are kept as files. */
export interface Stocked {
  readonly path: string;
  readonly content: Buffer;
  readonly mediaType?: string;
  readonly large?: boolean;
  readonly links?: readonly Link[];
}

export async function stock(
  database: Database,
  directory: string,
  { path, content, mediaType = 'application/xml', large = false, links = [] }: Stocked,
): Promise<ResourceEntry> {
  const hash = hashOf(content);
  if (large) {
    await keepContent(database, directory, content);
  } else {
    const conflict = { columns: ['hash'], update: [] };
    await database.transaction((trx) =>
      insertRows(trx, 'blob', [{ ...packBlob(hash, content) }], { conflict }),
    );
  }
  const facts = { mediaType, length: content.length, hash, links };
  return { path, kind: 'file', lastmod: '2026-11-20T10:00:00Z', ...facts };
}

export function changed(seq: number, change: ChangeKind, entry: ResourceEntry): ChangeEntry {
  const datetime = `2026-11-20T10:00:${String(seq).padStart(2, '0')}Z`;
  if (change !== 'deleted') return { ...entry, seq, change, datetime };
  return { path: entry.path, kind: entry.kind, lastmod: datetime, links: [], seq, change, datetime };
}

/** Pages of a few. */
export async function* pagesOf<Entry>(entries: readonly Entry[], size = 3): AsyncGenerator<readonly Entry[]> {
  for (let start = 0; start < entries.length; start += size) yield entries.slice(start, start + size);
}
