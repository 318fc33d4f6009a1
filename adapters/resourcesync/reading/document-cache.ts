import type {
  DocumentMemory,
  RememberedDocument,
} from '../../../src/resourcesync/reading/remembered-documents.ts';

/** Octets of packed documents that one source may have in memory; what was read longest ago gives way. */
const mostOctets = 2 * 1024 * 1024;

/** What a source has read lately, as long as the process lives. */
export class DocumentCache implements DocumentMemory {
  readonly #documents = new Map<string, RememberedDocument>();
  #octets = 0;

  find(uri: string): RememberedDocument | undefined {
    return this.#documents.get(uri);
  }

  keep(uri: string, document: RememberedDocument): void {
    this.forget(uri);
    this.#documents.set(uri, document);
    this.#octets += document.packed.byteLength;
    for (const oldest of this.#documents.keys()) {
      if (this.#octets <= mostOctets) break;
      this.forget(oldest);
    }
  }

  forget(uri: string): void {
    this.#octets -= this.#documents.get(uri)?.packed.byteLength ?? 0;
    this.#documents.delete(uri);
  }
}
