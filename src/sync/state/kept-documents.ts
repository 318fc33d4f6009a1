import type { DocumentMemory, RememberedDocument } from '../../resourcesync/reading/remembered-documents.ts';
import type { CopyDatabase } from './copy-database.ts';

/** The documents that the last run read, so that the next one asks only whether they are others. */
export class KeptDocuments implements DocumentMemory {
  readonly #database: CopyDatabase;
  readonly #asked = new Set<string>();

  constructor(database: CopyDatabase) {
    this.#database = database;
  }

  find(uri: string): RememberedDocument | undefined {
    this.#asked.add(uri);
    const row = this.#database.get<{ url: string; headers: string; packed: Uint8Array }>(
      'select url, headers, packed from document where uri = ?',
      uri,
    );
    return row && { ...row, headers: JSON.parse(row.headers) as Record<string, string> };
  }

  keep(uri: string, { url, headers, packed }: RememberedDocument): void {
    this.#database.write(
      'insert or replace into document (uri, url, headers, packed) values (?, ?, ?, ?)',
      ...[uri, url, JSON.stringify(headers), packed],
    );
  }

  forget(uri: string): void {
    this.#database.write('delete from document where uri = ?', uri);
  }

  /** What nobody has asked for is of no use any more. */
  forgetOthers(): void {
    for (const { uri } of this.#database.all<{ uri: string }>('select uri from document')) {
      if (!this.#asked.has(uri)) this.forget(uri);
    }
  }
}
