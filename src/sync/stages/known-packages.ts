import { createInflateRaw } from 'node:zlib';
import type { DocumentMemory } from '../../resourcesync/reading/remembered-documents.ts';
import {
  type Member,
  parseSourceDocument,
  type StatementHandler,
} from '../../resourcesync/reading/source-document.ts';

/** Manifests of packages that were read to their ends: one with the same hash has the same in it. */
export class KnownPackages {
  readonly #memory: DocumentMemory;

  constructor(memory: DocumentMemory) {
    this.#memory = memory;
  }

  /** @returns false: it is not known, or may be another */
  async read({ uri, hashes }: Member, handler: StatementHandler): Promise<boolean> {
    const known = hashes.length === 0 ? undefined : this.#memory.find(manifestOf(uri));
    if (known?.headers.hashes !== hashes.join(' ')) return false;
    const text = createInflateRaw();
    text.end(known.packed);
    // What is wrong with it was told when it came.
    await parseSourceDocument(text, manifestOf(uri), handler, () => undefined);
    return true;
  }

  /** @param packed without a header (RFC 1951) */
  keep({ uri, hashes }: Member, packed: Uint8Array): void {
    if (hashes.length === 0) return;
    const place = manifestOf(uri);
    // What nobody asks for is forgotten.
    this.#memory.find(place);
    this.#memory.keep(place, { url: place, headers: { hashes: hashes.join(' ') }, packed });
  }
}

function manifestOf(uri: string): string {
  return `${uri}!/manifest.xml`;
}
