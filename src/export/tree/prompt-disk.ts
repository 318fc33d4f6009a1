import {
  closeSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';

/** A call that takes longer has waited for a disk, or for a server in another room. */
const patienceMs = 5;
/** So many calls are made without waiting for each, before one is tried again that waits. */
const callsApart = 500;

/**
 * Small operations on files. A local disk answers most of them from memory: to wait for that takes a tenth of the
 * processor time of asking another thread to do so. Where an answer takes long, several are asked for at a time instead.
 */
export class PromptDisk {
  #apart = 0;

  /** Whether the next operation is one to wait for. */
  get isPrompt(): boolean {
    if (this.#apart === 0) return true;
    this.#apart -= 1;
    return false;
  }

  /** @returns undefined where there is nothing */
  async stat(file: string): Promise<Stats | undefined> {
    return this.isPrompt
      ? this.#timed(() => lstatSync(file, { throwIfNoEntry: false }), ignoreAbsence)
      : lstat(file).catch(ignoreAbsence);
  }

  async makeDirectory(path: string): Promise<void> {
    if (this.isPrompt) this.#timed(() => mkdirSync(path));
    else await mkdir(path);
  }

  /**
   * Writes a file and moves it into place.
   * @param time in seconds
   */
  writeNow(temporary: string, file: string, chunks: readonly Uint8Array[], time: number | undefined): void {
    this.#timed(() => {
      const descriptor = openSync(temporary, 'wx');
      try {
        for (const chunk of chunks) {
          for (let done = 0; done < chunk.byteLength; ) done += writeSync(descriptor, chunk, done);
        }
        if (time !== undefined) futimesSync(descriptor, time, time);
      } finally {
        closeSync(descriptor);
      }
      renameSync(temporary, file);
    });
  }

  #timed<Result>(work: () => Result, otherwise?: (error: unknown) => Result): Result {
    const started = performance.now();
    try {
      return work();
    } catch (error) {
      if (!otherwise) throw error;
      return otherwise(error);
    } finally {
      if (performance.now() - started > patienceMs) this.#apart = callsApart;
    }
  }
}

function ignoreAbsence(error: unknown): undefined {
  const { code } = error as { code?: unknown };
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  return undefined;
}
