import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { addSeconds } from '../../core/datetime.ts';
import { doomAll, type PointerRow, removePointerRow } from '../../store/objects/published-pointers.ts';
import type { JournalState } from '../../store/sources/journal.ts';
import { doomedNow, switchInBucket } from '../bucket/bucket-switch.ts';
import { bucketAt, type SetBucket } from '../bucket/published-bucket.ts';
import { fetchPublishedFile } from '../bucket/published-files.ts';
import { noteSwitch } from '../bucket/switches.ts';
import { hasOpenFile, isMissing, missingFiles, namesIn } from './bucket-contents.ts';
import { Catalogs } from './catalogs.ts';
import type { ChangesState } from './change-state.ts';
import { inSegments, withSegments } from './list-segments.ts';
import {
  type Documents,
  type Pointer,
  parsePointer,
  pointerFile,
  pointerText,
  readPointerFile,
  writeCatalog,
  writePointer,
} from './pointer.ts';

/** A reader that has looked a document up opens its files within this time. */
const graceSeconds = 60;

/**
 * The directory of one set, from the side that writes: what is published in it, the switch to what is next,
 * and the removal of what nothing points to any more.
 */
export class SetDirectory {
  readonly path: string;
  readonly #catalogs: Catalogs;
  #pointer: Pointer | undefined;
  /** What is published, where that is said by the database. */
  #row: PointerRow | undefined;
  /** What we switched to last. */
  #own: number | undefined;

  constructor(path: string) {
    this.path = path;
    this.#catalogs = new Catalogs(path);
  }

  get pointer(): Pointer | undefined {
    return this.#pointer;
  }

  /** Documents or packages are to be in the bucket, and what is published is not said by the database yet. */
  get mustMove(): boolean {
    return this.#row === undefined && this.#bucket?.takesAny === true;
  }

  get #bucket(): SetBucket | undefined {
    return bucketAt(this.path);
  }

  /**
   * Reads what is published.
   * @param journal of a set; the site has none
   * @returns whether it can be built upon; if not, everything is rendered anew
   */
  async load(baseUrl: string, journal?: Pick<JournalState, 'id' | 'seq'>): Promise<boolean> {
    this.#row = await this.#bucket?.row();
    this.#pointer = this.#row ? parsePointer(this.#row.pointer) : await readPointerFile(this.path);
    if (this.#pointer?.baseUrl !== baseUrl) return false;
    // The database was made anew, or an older state of it came back.
    const { journal: renderedFrom, changes } = this.#pointer;
    if (journal && (renderedFrom !== journal.id || (changes?.seq ?? 0) > journal.seq)) return false;
    return this.#isComplete(this.#pointer).catch(isMissing);
  }

  /** Whoever works on it next loads it again: until then nothing of it is kept. */
  rest(): void {
    this.#pointer = undefined;
    this.#row = undefined;
  }

  async hasPointer(): Promise<boolean> {
    if ((await this.#bucket?.row()) !== undefined) return true;
    return stat(join(this.path, pointerFile)).then(
      () => true,
      () => false,
    );
  }

  catalog(file: string): Promise<Documents> {
    return this.#catalogs.get(file);
  }

  /** What is about to be published, as it can be stored: in a bucket nothing grows. */
  async storable<Part extends Storable>(part: Part): Promise<Part> {
    const openFile = part.changes?.openFile;
    if (!part.changes || !openFile) return part;
    if (!this.#bucket?.takes(openFile.plain)) {
      const { segments, ...rest } = openFile;
      return segments && !this.#row ? { ...part, changes: { ...part.changes, openFile: rest } } : part;
    }
    const divided = await withSegments(this.path, openFile);
    const documents = inSegments(part.documents, divided);
    const changes = { ...part.changes, openFile: divided };
    if (!this.mustMove || part.former === undefined) return { ...part, documents, changes };
    // What documents were before they came to the bucket.
    const former = inSegments(await this.catalog(part.former), divided);
    return { ...part, documents, changes, former: await writeCatalog(this.path, 'former', former) };
  }

  /** Publishes `next` in place of what was; files that fall out of use stay for a while. */
  async switch(next: Omit<Pointer, 'retired'>, now: string): Promise<void> {
    const before = this.#pointer;
    const retired: Record<string, string> = {};
    for (const [file, since] of Object.entries(before?.retired ?? {})) {
      if (addSeconds(since, graceSeconds) > now) retired[file] = since;
    }
    const used = await this.#catalogs.filesOf({ ...next, retired });
    // The catalogs of an unreadable publication cannot tell which files it had; then all stay for a while.
    const usedBefore = before
      ? await this.#catalogs.filesOf(before).catch(() => new Set<string>())
      : new Set<string>();
    for (const file of usedBefore) if (!used.has(file)) retired[file] = now;
    const pointer = { ...next, retired };
    const bucket = this.#bucket;
    if (bucket && (this.#row || bucket.takesAny))
      await this.#switchInBucket(bucket, pointer, { used, usedBefore });
    else await writePointer(this.path, pointer);
    this.#pointer = pointer;
  }

  /**
   * Moves the files of what is published to where they are to be, while they are served.
   * @returns how many
   */
  async move(now: string): Promise<number> {
    const [bucket, pointer] = [this.#bucket, this.#pointer];
    if (!bucket || !pointer) return 0;
    const local = new Set(await namesIn(this.path));
    const used = [...(await this.#catalogs.filesOf(pointer))];
    const toBucket = used.filter((file) => local.has(file) && bucket.takes(file));
    const toDisk = this.#row ? used.filter((file) => !local.has(file) && !bucket.takes(file)) : [];
    for (const file of toDisk) await fetchPublishedFile(bucket, file);
    const { database } = bucket.bucket.settings;
    if (bucket.takesAny && (toBucket.length > 0 || this.mustMove)) {
      const { retired, ...next } = pointer;
      await this.switch(await this.storable(next), now);
    }
    if (bucket.takesAny) await doomAll(database, doomedNow(bucket, toDisk));
    else if (this.#row) {
      await writePointer(this.path, pointer);
      const dooms = doomedNow(bucket, [...used, pointerFile]);
      await removePointerRow(database, bucket.set, this.#row.number, dooms);
      noteSwitch();
      this.#row = undefined;
    }
    return toBucket.length + toDisk.length;
  }

  async #switchInBucket(
    bucket: SetBucket,
    pointer: Pointer,
    { used, usedBefore }: Record<'used' | 'usedBefore', ReadonlySet<string>>,
  ): Promise<void> {
    const local = new Set(await namesIn(this.path));
    this.#row = await switchInBucket(bucket, {
      text: pointerText(pointer),
      pointerFile,
      row: this.#row,
      uploads: [...used].filter((file) => local.has(file) && bucket.takes(file)),
      shipped: [...used].filter((file) => !usedBefore.has(file) && !local.has(file)),
      dropped: [...usedBefore].filter((file) => !used.has(file) && (!local.has(file) || bucket.takes(file))),
    });
    this.#own = this.#row.number;
  }

  /** Removes every file that nothing points to: old generations, and what a crash left behind. */
  async sweep(): Promise<void> {
    const pointer = this.#pointer;
    if (pointer) this.#catalogs.forgetAllBut(pointer);
    const used = pointer ? await this.#catalogs.filesOf(pointer) : new Set<string>();
    const open = pointer?.changes?.openFile;
    for (const name of await namesIn(this.path)) {
      const isOurs = name === 'lock' || (name === pointerFile && !this.#row);
      const isOpen = name === open?.plain || name === open?.deflated;
      const kept = isOurs || isOpen || used.has(name) || pointer?.retired[name];
      if (!kept) await rm(join(this.path, name), { force: true });
    }
  }

  async #isComplete(pointer: Pointer): Promise<boolean> {
    const isOurs = this.#row !== undefined && this.#row.number === this.#own;
    const files = await this.#catalogs.filesOf(pointer);
    // What we have switched to ourselves is in the bucket.
    if (!isOurs && (await missingFiles(this.path, this.#row && this.#bucket, files)).length > 0) return false;
    const open = pointer.changes?.openFile;
    return open === undefined || hasOpenFile(this.path, open, isOurs);
  }
}

type Storable = Pick<Pointer, 'documents' | 'former'> & { readonly changes?: ChangesState | undefined };
