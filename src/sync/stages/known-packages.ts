import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { DocumentMemory } from '../../resourcesync/reading/remembered-documents.ts';
import {
  type Member,
  parseSourceDocument,
  type StatementHandler,
} from '../../resourcesync/reading/source-document.ts';

/** A manifest that is longer is not kept; octets. */
const longestManifest = 64 * 1024 * 1024;

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
    const text = inflateRawSync(known.packed);
    // What is wrong with it was told when it came.
    await parseSourceDocument(one(text), manifestOf(uri), handler, () => undefined);
    return true;
  }

  keep({ uri, hashes }: Member, manifest: Uint8Array): void {
    const place = manifestOf(uri);
    if (hashes.length === 0 || manifest.byteLength > longestManifest) return;
    const packed = deflateRawSync(manifest, { level: 1 });
    // What nobody asks for is forgotten.
    this.#memory.find(place);
    this.#memory.keep(place, { url: place, headers: { hashes: hashes.join(' ') }, packed });
  }
}

function manifestOf(uri: string): string {
  return `${uri}!/manifest.xml`;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
