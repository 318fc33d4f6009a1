import { BridgeError } from '../../../core/errors.ts';
import { storingError } from '../../../store/payloads/content-files.ts';
import { bodyChunks, chunkBytes } from '../../http/chunk-memory.ts';
import { type FinishedFile, ThreadFile } from './content-thread.ts';
import { type PartialFile, type PartialNote, writeNote } from './partial-file.ts';

/**
 * Chunks of the wire are small: what is gathered of them is hashed and written at once, from memory that is used
 * again. So much a kill may cost; what is larger, or takes longer, has a note from the beginning that lets it be
 * continued.
 */
const gatheredMs = 500;
/** A chunk that is not much smaller than what is gathered is not copied. */
const largeBytes = 262_144;

export interface FinishedPart extends FinishedFile {
  /** Resolves when it is safe on the disk: from then on it may be said that it is there. */
  readonly synced: Promise<void>;
}

/** Writes a download to its partial file; its errors are those of the disk. */
export class PartialWriter {
  isComplete = false;
  /** There is a note beside the file. */
  isNoted = false;
  readonly #partial: PartialFile;
  readonly #note: PartialNote;
  readonly #stated: string | undefined;
  readonly #beganAt = performance.now();
  #flushedAt = this.#beganAt;
  #file: ThreadFile | undefined;
  #finished: FinishedPart | undefined;
  #gathered: Buffer | undefined;
  #gatheredBytes = 0;
  #written = 0;

  /** @param statedHash is compared with */
  constructor(partial: PartialFile, note: PartialNote, statedHash: string | undefined) {
    this.#partial = partial;
    this.#note = note;
    this.#stated = statedHash;
  }

  /**
   * @param start octets that lie here already and belong to it
   * @param replacesNote what was noted is about other bytes; the file is emptied first, so that no note ever
   * speaks of bytes that it is not about
   */
  async begin(start: number, replacesNote: boolean): Promise<void> {
    const file = new ThreadFile(this.#partial.file, start, this.#stated);
    this.#file = file;
    if (start === 0) {
      if (!replacesNote && (this.#note.length ?? chunkBytes) < chunkBytes) return;
      await onDisk(file.open());
      await this.#keepNote();
      return;
    }
    if ((await onDisk(file.open())) !== start)
      throw new BridgeError('upstream-cut-off', 'its part has changed on the disk');
    this.#written = start;
    this.isNoted = true;
  }

  /** Octets so far, those that lay here already included. */
  get length(): number {
    return this.#written + this.#gatheredBytes;
  }

  /** @param chunk is not to be looked at any more: its memory is used again */
  async write(chunk: Uint8Array): Promise<void> {
    if (chunk.byteLength < largeBytes || !bodyChunks.has(chunk)) {
      await this.#gather(chunk);
    } else {
      await this.#flush();
      await this.#writeThrough(chunk);
    }
    bodyChunks.giveBack(chunk);
    const now = performance.now();
    if (now - this.#flushedAt > gatheredMs) await this.#flush();
    if (!this.isNoted && now - this.#beganAt > gatheredMs) await this.#keepNote();
  }

  /** It is complete; the next download need not wait until it is safe on the disk. */
  async end(): Promise<FinishedPart> {
    await this.#flush();
    const finished = this.#finished ?? (await this.#finish());
    this.isComplete = true;
    return finished;
  }

  /** Cut off: what came is kept for the next attempt. */
  async leave(): Promise<void> {
    await this.#flush();
    if (!this.isNoted && this.#written > 0) await this.#keepNote();
  }

  /** To be called once, whatever happened. */
  async close(): Promise<void> {
    if (this.#gathered) bodyChunks.giveBack(this.#gathered);
    this.#gathered = undefined;
    if (!this.isComplete) await this.#file?.leave();
  }

  async #keepNote(): Promise<void> {
    await onDisk(writeNote(this.#partial, this.#note));
    this.isNoted = true;
  }

  async #gather(chunk: Uint8Array): Promise<void> {
    this.#gathered ??= bodyChunks.take();
    for (let done = 0; done < chunk.byteLength; ) {
      const piece = chunk.subarray(done, done + chunkBytes - this.#gatheredBytes);
      this.#gathered.set(piece, this.#gatheredBytes);
      this.#gatheredBytes += piece.byteLength;
      done += piece.byteLength;
      if (this.#gatheredBytes === chunkBytes) await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    const bytes = this.#gathered?.subarray(0, this.#gatheredBytes);
    this.#gatheredBytes = 0;
    if (bytes && bytes.byteLength > 0) await this.#writeThrough(bytes);
  }

  async #writeThrough(bytes: Uint8Array): Promise<void> {
    this.#flushedAt = performance.now();
    if (!this.#file) return;
    this.#written += bytes.byteLength;
    // One message for a file that comes in one chunk.
    if (this.#written === this.#note.length) this.#finished = await this.#finish(bytes);
    else await onDisk(this.#file.write(bytes));
  }

  async #finish(bytes?: Uint8Array): Promise<FinishedPart> {
    if (!this.#file) throw new TypeError('it has not begun');
    const { synced, ...finished } = await onDisk(this.#file.finish(bytes));
    const onceSynced = onDisk(synced);
    onceSynced.catch(() => undefined);
    return { ...finished, synced: onceSynced };
  }
}

async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storingError(error);
  }
}
