import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BridgeError } from '../../core/errors.ts';
import { writeAll } from '../../publish/disk/document-file.ts';
import { giveWay } from '../../store/engine/time-slice.ts';
import { PromptDisk } from './prompt-disk.ts';

/** What is to be in a file. */
export interface FileContent {
  readonly length: number;
  chunks(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** ISO; becomes the file's time. Absent where the bytes alone count. */
  readonly lastModified?: string | undefined;
  /** The chunks can be read one time only: length and time have to do for comparing. */
  readonly once?: boolean;
}

export interface TreeCounts {
  written: number;
  removed: number;
  bytes: number;
}

export interface TreeSettings {
  readonly root: string;
  /** A directory in the same file system, where files are made before they are renamed into place. */
  readonly workshop: string;
  /** Counts, and touches nothing. */
  readonly dryRun: boolean;
}

/** Directories that are known to be some; more than are in use at a time. */
const knownDirectories = 20_000;

/**
 * The files of an export. Each appears with a rename, whole and with its time; no path leads out of the root:
 * a symbolic link in the place of a directory is an error, one in the place of a file is replaced.
 */
export class ExportTree {
  readonly counts: TreeCounts = { written: 0, removed: 0, bytes: 0 };
  readonly #settings: TreeSettings;
  readonly #directories = new Set<string>();
  readonly #disk = new PromptDisk();

  constructor(settings: TreeSettings) {
    this.#settings = settings;
  }

  /** Whether there is a file of this length and time. */
  async has(path: string, { length, lastModified }: Omit<FileContent, 'chunks'>): Promise<boolean> {
    const found = await this.#stat(path);
    if (!found || found.size !== length) return false;
    return lastModified === undefined || found.mtimeMs === Date.parse(lastModified);
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#stat(path)) !== undefined;
  }

  /**
   * Makes a file what it should be; one that is so already is not touched.
   * @param durable see `write`
   * @returns what was there before
   */
  async put(
    path: string,
    content: FileContent,
    durable = false,
  ): Promise<'nothing' | 'another' | 'the same'> {
    await giveWay();
    const found = await this.#stat(path);
    if (content.once && (await this.has(path, content))) return 'the same';
    if (!content.once && found?.size === content.length && (await this.#holds(path, content))) {
      const { lastModified } = content;
      const late = lastModified !== undefined && found.mtimeMs !== Date.parse(lastModified);
      if (late) await this.#setTime(path, lastModified);
      return 'the same';
    }
    await this.write(path, content, durable);
    return found ? 'another' : 'nothing';
  }

  /** @param durable whether it has to survive a power failure right behind this */
  async write(path: string, content: FileContent, durable = false): Promise<void> {
    const file = this.#file(path);
    this.counts.written += 1;
    this.counts.bytes += content.length;
    if (this.#settings.dryRun) return;
    const temporary = join(this.#settings.workshop, `${randomUUID()}.tmp`);
    const time = content.lastModified === undefined ? undefined : Date.parse(content.lastModified) / 1000;
    try {
      const whole = durable || content.once ? undefined : wholeOf(content);
      if (whole && this.#disk.isPrompt) {
        await this.#makeDirectory(dirname(path));
        this.#disk.writeNow(temporary, file, whole, time);
        return;
      }
      const handle = await open(temporary, 'wx');
      try {
        await fill(handle, content, path);
        if (time !== undefined) await handle.utimes(time, time);
        if (durable) await handle.sync();
      } finally {
        await handle.close();
      }
      await this.#makeDirectory(dirname(path));
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** Removes a file, and the directories that it leaves empty. */
  async remove(path: string): Promise<void> {
    const file = this.#file(path);
    if (!(await this.#isDirectory(dirname(path))) || !(await this.#disk.stat(file))) return;
    this.counts.removed += 1;
    if (this.#settings.dryRun) return;
    await rm(file, { force: true });
    await this.prune(dirname(path));
  }

  /** Removes a directory that is empty, and then those above it. */
  async prune(directory: string): Promise<void> {
    for (let current = directory; current !== '.' && !this.#settings.dryRun; current = dirname(current)) {
      try {
        await rmdir(this.#file(current));
      } catch {
        return;
      }
      this.#directories.delete(current);
    }
  }

  async #holds(path: string, content: FileContent): Promise<boolean> {
    const handle = await open(this.#file(path), constants.O_RDONLY | constants.O_NOFOLLOW);
    let memory = Buffer.alloc(0);
    try {
      for await (const chunk of content.chunks()) {
        // Of a large file there are many pieces of one length.
        if (memory.byteLength < chunk.byteLength) memory = Buffer.allocUnsafe(chunk.byteLength);
        const there = memory.subarray(0, chunk.byteLength);
        const { bytesRead } = await handle.read(there, 0, there.length);
        if (bytesRead !== there.length || !there.equals(chunk)) return false;
      }
      return true;
    } finally {
      await handle.close();
    }
  }

  async #setTime(path: string, lastModified: string): Promise<void> {
    if (this.#settings.dryRun) return;
    const handle = await open(this.#file(path), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const time = Date.parse(lastModified) / 1000;
      await handle.utimes(time, time);
    } finally {
      await handle.close();
    }
  }

  /** A regular file, below real directories. */
  async #stat(path: string) {
    const file = this.#file(path);
    if (!(await this.#isDirectory(dirname(path)))) return undefined;
    const found = await this.#disk.stat(file);
    return found?.isFile() ? found : undefined;
  }

  /** @returns false when there is none */
  async #isDirectory(path: string): Promise<boolean> {
    if (path === '.' || this.#directories.has(path)) return true;
    if (!(await this.#isDirectory(dirname(path)))) return false;
    const found = await this.#disk.stat(this.#file(path));
    if (!found) return false;
    if (!found.isDirectory()) throw obstructed(this.#file(path));
    this.#remember(path);
    return true;
  }

  async #makeDirectory(path: string): Promise<void> {
    if (path === '.' || this.#directories.has(path)) return;
    await this.#makeDirectory(dirname(path));
    try {
      await this.#disk.makeDirectory(this.#file(path));
      this.#remember(path);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
      await this.#isDirectory(path);
    }
  }

  #remember(path: string): void {
    if (this.#directories.size >= knownDirectories) this.#directories.clear();
    this.#directories.add(path);
  }

  #file(path: string): string {
    if (!isExportPath(path)) throw new RangeError(`${JSON.stringify(path)} is no path of an export`);
    return join(this.#settings.root, path);
  }
}

const segments = /^[A-Za-z0-9._:~-]+(?:\/[A-Za-z0-9._:~-]+)*$/;
const dotSegment = /(?:^|\/)\.{1,2}(?:\/|$)/;

/** What documents, resources and pages of ours can be called, and nothing that leads elsewhere. */
export function isExportPath(path: string): boolean {
  return segments.test(path) && !dotSegment.test(path) && !path.startsWith('.rsbridge-export');
}

async function fill(handle: FileHandle, { length, chunks }: FileContent, path: string): Promise<void> {
  let done = 0;
  for await (const chunk of chunks()) {
    await writeAll(handle, chunk);
    done += chunk.byteLength;
  }
  if (done !== length) throw new Error(`${path} has ${done} octets, not ${length}`);
}

/** What is in memory anyway, if it is as long as it says. */
function wholeOf({ length, chunks }: FileContent): readonly Uint8Array[] | undefined {
  const whole = chunks();
  if (!Array.isArray(whole)) return undefined;
  const pieces: readonly Uint8Array[] = whole;
  return pieces.reduce((sum, { byteLength }) => sum + byteLength, 0) === length ? pieces : undefined;
}

function obstructed(file: string): BridgeError {
  return new BridgeError(
    'publication-failed',
    `${file} is in the way: the export needs a directory there, and a symbolic link is not followed; remove it`,
  );
}
