import { type Documents, type Pointer, readCatalog, type StoredDocument } from './pointer.ts';

/** The catalogs of one directory. They are immutable, so each is read once. */
export class Catalogs {
  readonly #directory: string;
  readonly #read = new Map<string, Promise<Documents>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** What is published in them. */
  async of(pointer: Pointer): Promise<readonly Documents[]> {
    this.forgetAllBut(pointer);
    return Promise.all(pointer.catalogs.map((file) => this.get(file)));
  }

  /** What other pointers needed will not be asked for again. */
  forgetAllBut(pointer: Pointer): void {
    const used = catalogsOf(pointer);
    for (const file of this.#read.keys()) if (!used.includes(file)) this.#read.delete(file);
  }

  /** Every file that a pointer needs. */
  async filesOf(pointer: Pointer): Promise<Set<string>> {
    const catalogs = await Promise.all(catalogsOf(pointer).map((file) => this.get(file)));
    const files = new Set<string>(catalogsOf(pointer));
    for (const documents of [pointer.documents, ...catalogs]) {
      for (const document of Object.values(documents)) addFiles(files, document);
    }
    return files;
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

function catalogsOf({ catalogs, former }: Pointer): readonly string[] {
  return former === undefined ? catalogs : [...catalogs, former];
}

function addFiles(files: Set<string>, document: StoredDocument): void {
  for (const variant of [document.plain, document.gzip]) {
    for (const slice of variant?.slices ?? []) if ('file' in slice) files.add(slice.file);
  }
}
