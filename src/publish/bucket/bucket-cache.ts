import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ObjectStore, OpenObject } from '../../core/payloads/object-store.ts';
import { getPatiently } from '../../store/objects/patient-get.ts';

/** What is longer is read from the bucket, as much of it as is asked for. */
const longest = 64 * 1024 ** 2;
const touchedMs = 600_000;

/** Copies of objects on the disk. Each may be removed at any time: it is read again. */
export class BucketCache {
  readonly #directory: string;
  readonly #store: ObjectStore;
  readonly #bytes: number;
  readonly #underWay = new Map<string, Promise<void>>();
  /** What all of them take, as far as this process knows. */
  #size: number | undefined;
  #clearing: Promise<void> = Promise.resolve();

  constructor(directory: string, store: ObjectStore, bytes: number) {
    this.#directory = directory;
    this.#store = store;
    this.#bytes = bytes;
  }

  holds(length: number): boolean {
    return length <= Math.min(longest, this.#bytes / 4);
  }

  /** @returns undefined when there is no copy of that length at least */
  async find(key: string, length: number): Promise<FileHandle | undefined> {
    const handle = await open(this.#path(key), 'r').catch(() => undefined);
    if (!handle) return undefined;
    const { size, mtimeMs } = await handle.stat();
    if (size < length) {
      await handle.close();
      await rm(this.#path(key), { force: true });
      return undefined;
    }
    // What was read last is removed last.
    const now = new Date();
    if (now.getTime() - mtimeMs > touchedMs) await handle.utimes(now, now).catch(() => undefined);
    return handle;
  }

  /**
   * Reads an object into a copy, once for all who wait for it.
   * @throws what the object storage says; `ENOENT` when it is not there
   */
  async fill(key: string): Promise<void> {
    const known = this.#underWay.get(key);
    if (known) return known;
    const filling = this.#read(key).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, filling);
    return filling;
  }

  /** Takes over a file that was written to the bucket just now, or removes it where it is too long. */
  async adopt(key: string, file: string): Promise<void> {
    const { size } = await stat(file);
    if (!this.holds(size)) return rm(file, { force: true });
    const path = this.#path(key);
    await mkdir(dirname(path), { recursive: true });
    await rename(file, path);
    this.#grow(size);
  }

  /** All copies below a prefix. */
  async remove(prefix: string): Promise<void> {
    await rm(this.#path(prefix), { recursive: true, force: true });
  }

  async #read(key: string): Promise<void> {
    const { body, length } = await getPublished(this.#store, key);
    const path = this.#path(key);
    const temporary = `${path}.${randomUUID().slice(0, 8)}.tmp`;
    try {
      await mkdir(dirname(path), { recursive: true });
      const handle = await open(temporary, 'wx');
      try {
        await writeFile(handle, body);
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await rename(temporary, path);
    } catch (error) {
      body.destroy();
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    this.#grow(length);
  }

  #path(key: string): string {
    return join(this.#directory, ...key.split('/'));
  }

  #grow(bytes: number): void {
    if (this.#size !== undefined) this.#size += bytes;
    if (this.#size !== undefined && this.#size <= this.#bytes) return;
    this.#size = 0;
    // Whatever keeps it from that, the next copy tries it again.
    this.#clearing = this.#clearing.then(() => this.#clear()).catch(() => undefined);
  }

  /** Those that were read longest ago go, until a tenth of the room is free. */
  async #clear(): Promise<void> {
    const copies: { path: string; size: number; at: number }[] = [];
    const entries = await readdir(this.#directory, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const found = await stat(path).catch(() => undefined);
      if (found) copies.push({ path, size: found.size, at: found.mtimeMs });
    }
    let size = copies.reduce((sum, copy) => sum + copy.size, 0);
    if (size > this.#bytes) {
      for (const copy of copies.sort((a, b) => a.at - b.at)) {
        if (size <= this.#bytes * 0.9) break;
        await rm(copy.path, { force: true });
        size -= copy.size;
      }
    }
    this.#size = size;
  }
}

/** @throws BridgeError `objects-unavailable`, `objects-refused`; `ENOENT` when it is not there */
export async function getPublished(
  store: ObjectStore,
  key: string,
  range: { readonly start?: number; readonly end?: number } = {},
): Promise<OpenObject> {
  const found = await getPatiently(store, key, range);
  if (found) return found;
  // As of a file: whoever reads it looks again whether it still is what is published.
  throw Object.assign(new Error(`${key} is not in ${store.place}`), { code: 'ENOENT', syscall: 'open' });
}
