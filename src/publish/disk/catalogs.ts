import {
  type Documents,
  type Pointer,
  parseCatalog,
  readCatalogText,
  type StoredDocument,
} from './pointer.ts';
import { type Readable, ReadingRoom } from './reading-room.ts';

/** Of all directories; in memory they take five times their text. */
const room = new ReadingRoom(4_194_304);

interface Read extends Readable {
  readonly documents: Promise<Documents>;
}

/** The catalogs of one directory. They are immutable, so each is read once, and again when others were needed more. */
export class Catalogs {
  readonly #directory: string;
  readonly #read = new Map<string, Read>();

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
    for (const [file, read] of this.#read) if (!used.includes(file)) this.#forget(file, read);
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
    if (known) {
      room.touch(known);
      return known.documents;
    }
    const text = readCatalogText(this.#directory, file);
    const read: Read = { documents: text.then(parseCatalog), giveUp: () => this.#forget(file, read) };
    this.#read.set(file, read);
    read.documents.then(
      async () => this.#read.get(file) === read && room.keep(read, (await text).length),
      // What could not be read now may be readable later.
      () => this.#forget(file, read),
    );
    return read.documents;
  }

  #forget(file: string, read: Read): void {
    room.leave(read);
    if (this.#read.get(file) === read) this.#read.delete(file);
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
