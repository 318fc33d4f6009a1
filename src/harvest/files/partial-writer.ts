import { type FileHandle, open } from 'node:fs/promises';
import { BridgeError } from '../../core/errors.ts';
import { readContentFile, storingError } from '../../store/content-files.ts';
import { ContentDigest } from './content-digest.ts';
import { type PartialFile, type PartialNote, writeNote } from './partial-file.ts';

/**
 * Chunks of the wire are small: what is gathered of them is hashed and written at once, from memory that is used
 * again. So much a kill may cost; what is larger, or takes longer, has a note from the beginning that lets it be
 * continued.
 */
const gatheredBytes = 1_048_576;
const gatheredMs = 500;

const freeBuffers: Buffer[] = [];
const buffersKept = 32;

/** Writes a download to its partial file; its errors are those of the disk. */
export class PartialWriter {
  readonly digest: ContentDigest;
  isComplete = false;
  /** There is a note beside the file. */
  isNoted = false;
  readonly #partial: PartialFile;
  readonly #note: PartialNote;
  readonly #beganAt = performance.now();
  #flushedAt = this.#beganAt;
  #handle: FileHandle | undefined;
  readonly #gathered = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(gatheredBytes);
  #gatheredBytes = 0;
  #written = 0;

  /** @param statedHash is compared with */
  constructor(partial: PartialFile, note: PartialNote, statedHash: string | undefined) {
    this.#partial = partial;
    this.#note = note;
    this.digest = new ContentDigest(statedHash);
  }

  /**
   * @param start octets that lie here already and belong to it
   * @param replacesNote what was noted is about other bytes; the file is emptied first, so that no note ever
   * speaks of bytes that it is not about
   */
  async begin(start: number, replacesNote: boolean): Promise<void> {
    if (start === 0) {
      this.#handle = await opened(this.#partial.file, 'w');
      if (replacesNote || (this.#note.length ?? gatheredBytes) >= gatheredBytes) await this.#keepNote();
      return;
    }
    for await (const chunk of readContentFile(this.#partial.file)) this.digest.update(chunk);
    if (this.digest.length !== start)
      throw new BridgeError('upstream-cut-off', 'its part has changed on the disk');
    this.#handle = await opened(this.#partial.file, 'r+');
    this.#written = start;
    this.isNoted = true;
  }

  /** Octets so far, those that lay here already included. */
  get length(): number {
    return this.#written + this.#gatheredBytes;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let done = 0; done < chunk.byteLength; ) {
      const piece = chunk.subarray(done, done + gatheredBytes - this.#gatheredBytes);
      this.#gathered.set(piece, this.#gatheredBytes);
      this.#gatheredBytes += piece.byteLength;
      done += piece.byteLength;
      if (this.#gatheredBytes === gatheredBytes) await this.#flush();
    }
    const now = performance.now();
    if (now - this.#flushedAt > gatheredMs) await this.#flush();
    if (!this.isNoted && now - this.#beganAt > gatheredMs) await this.#keepNote();
  }

  /**
   * It is complete; the next download need not wait until it is safe on the disk.
   * @returns what resolves when it is: from then on it may be said that it is there
   */
  async end(): Promise<{ readonly synced: Promise<void> }> {
    await this.#flush(this.#written === 0);
    this.isComplete = true;
    const handle = this.#handle;
    const synced = onDisk(handle?.datasync() ?? Promise.resolve()).finally(() => handle?.close());
    // Whoever asks for it gets to know; nobody may.
    synced.catch(() => undefined);
    return { synced };
  }

  /** Cut off: what came is kept for the next attempt. */
  async leave(): Promise<void> {
    await this.#flush();
    if (!this.isNoted && this.#written > 0) await this.#keepNote();
  }

  /** To be called once, whatever happened. */
  async close(): Promise<void> {
    if (freeBuffers.length < buffersKept) freeBuffers.push(this.#gathered);
    if (!this.isComplete) await this.#handle?.close();
  }

  async #keepNote(): Promise<void> {
    await onDisk(writeNote(this.#partial, this.#note));
    this.isNoted = true;
  }

  /** @param isWhole there was nothing before it, and comes nothing behind it */
  async #flush(isWhole = false): Promise<void> {
    const bytes = this.#gathered.subarray(0, this.#gatheredBytes);
    this.#gatheredBytes = 0;
    this.#flushedAt = performance.now();
    if (bytes.byteLength === 0 || !this.#handle) return;
    const digesting = isWhole ? this.digest.take(bytes) : this.digest.update(bytes);
    await this.#writeOut(this.#handle, bytes);
    await digesting;
  }

  async #writeOut(handle: FileHandle, bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.byteLength; ) {
      const rest = bytes.subarray(done);
      const { bytesWritten } = await onDisk(handle.write(rest, 0, rest.byteLength, this.#written));
      done += bytesWritten;
      this.#written += bytesWritten;
    }
  }
}

function opened(file: string, flags: string): Promise<FileHandle> {
  return onDisk(open(file, flags));
}

async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storingError(error);
  }
}
