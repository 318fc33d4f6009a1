import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { addSeconds } from '../../core/datetime.ts';
import type { JournalState } from '../../store/sources/journal.ts';
import { Catalogs } from './catalogs.ts';
import { type Documents, type Pointer, pointerFile, readPointer, writePointer } from './pointer.ts';

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

  constructor(path: string) {
    this.path = path;
    this.#catalogs = new Catalogs(path);
  }

  get pointer(): Pointer | undefined {
    return this.#pointer;
  }

  /**
   * Reads what is published.
   * @param journal of a set; the site has none
   * @returns whether it can be built upon; if not, everything is rendered anew
   */
  async load(baseUrl: string, journal?: Pick<JournalState, 'id' | 'seq'>): Promise<boolean> {
    this.#pointer = await readPointer(this.path);
    if (this.#pointer?.baseUrl !== baseUrl) return false;
    // The database was made anew, or an older state of it came back.
    const { journal: renderedFrom, changes } = this.#pointer;
    if (journal && (renderedFrom !== journal.id || (changes?.seq ?? 0) > journal.seq)) return false;
    return this.#isComplete(this.#pointer).catch(() => false);
  }

  async hasPointer(): Promise<boolean> {
    return stat(join(this.path, pointerFile)).then(
      () => true,
      () => false,
    );
  }

  catalog(file: string): Promise<Documents> {
    return this.#catalogs.get(file);
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
    await writePointer(this.path, pointer);
    this.#pointer = pointer;
  }

  /** Removes every file that nothing points to: old generations, and what a crash left behind. */
  async sweep(): Promise<void> {
    const pointer = this.#pointer;
    if (pointer) this.#catalogs.forgetAllBut(pointer);
    const used = pointer ? await this.#catalogs.filesOf(pointer) : new Set<string>();
    const names = (await readdir(this.path, { withFileTypes: true })).filter((entry) => entry.isFile());
    for (const { name } of names) {
      const kept = name === pointerFile || name === 'lock' || used.has(name) || pointer?.retired[name];
      if (!kept) await rm(join(this.path, name), { force: true });
    }
  }

  async #isComplete(pointer: Pointer): Promise<boolean> {
    const names = new Set(await readdir(this.path));
    const files = await this.#catalogs.filesOf(pointer);
    for (const file of files) if (!names.has(file)) return false;
    const open = pointer.changes?.openFile;
    if (!open) return true;
    const [plain, deflated] = await Promise.all([
      stat(join(this.path, open.plain)),
      stat(join(this.path, open.deflated)),
    ]);
    return plain.size >= open.length && deflated.size >= open.deflatedLength;
  }
}
