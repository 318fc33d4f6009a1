import { type Documents, type Pointer, readCatalog, type StoredDocument } from './pointer.ts';

/** The catalogs of one directory. They are immutable, so each is read once. */
export class Catalogs {
  readonly #directory: string;
  readonly #read = new Map<string, Promise<Documents>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async of(pointer: Pointer): Promise<readonly Documents[]> {
    for (const file of this.#read.keys()) {
      if (!pointer.catalogs.includes(file)) this.#read.delete(file);
    }
    return Promise.all(pointer.catalogs.map((file) => this.get(file)));
  }

  get(file: string): Promise<Documents> {
    const known = this.#read.get(file);
    if (known) return known;
    const reading = readCatalog(this.#directory, file);
    this.#read.set(file, reading);
    // What could not be read now may be readable later.
    reading.catch(() => this.#read.delete(file));
    return reading;
  }
}

/** Every file that a pointer needs. */
export function filesOf(pointer: Pointer, catalogs: readonly Documents[]): Set<string> {
  const files = new Set<string>(pointer.catalogs);
  for (const documents of [pointer.documents, ...catalogs]) {
    for (const document of Object.values(documents)) addFiles(files, document);
  }
  return files;
}

function addFiles(files: Set<string>, document: StoredDocument): void {
  for (const variant of [document.plain, document.gzip]) {
    for (const slice of variant?.slices ?? []) if ('file' in slice) files.add(slice.file);
  }
}
