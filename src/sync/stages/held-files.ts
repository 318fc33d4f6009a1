import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, type Stats, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { toMilliseconds } from '../../core/datetime.ts';
import type { HeldResource } from '../state/held-resources.ts';
import { modifiedAt } from './as-stated.ts';

export type FileState = 'same' | 'missing' | 'different';

/** Read at a time. */
const chunkOctets = 1_048_576;

/** The files of a copy as they lie in their directory, against what the state has of them. */
export class HeldFiles {
  readonly #directory: string;
  readonly #mends: boolean;
  #chunk: Buffer | undefined;

  /** @param mends files that have another time than their resource, and its bytes, get its time */
  constructor(directory: string, mends: boolean) {
    this.#directory = directory;
    this.#mends = mends;
  }

  /** By length and time; where the time alone is another, by its bytes. */
  look({ path, length, lastmod, lastModified, isProvisional, hashes }: HeldResource): FileState {
    const file = join(this.#directory, path);
    const found = statOf(file);
    if (found === undefined || !found.isFile()) return 'missing';
    if (found.size !== length) return 'different';
    const stated = modifiedAt(lastmod, lastModified, isProvisional);
    if (stated === undefined || Math.floor(found.mtimeMs) === toMilliseconds(stated)) return 'same';
    // A later list gave the same bytes another time, or somebody touched it.
    if (this.#hashOf(file) !== hashes[0]) return 'different';
    const seconds = toMilliseconds(stated) / 1000;
    if (this.#mends) setTimes(file, seconds);
    return 'same';
  }

  /** Undefined where it cannot be read. */
  #hashOf(file: string): string | undefined {
    this.#chunk ??= Buffer.allocUnsafe(chunkOctets);
    let descriptor: number | undefined;
    try {
      descriptor = openSync(file, 'r');
      const hash = createHash('sha256');
      for (let read = 1; read > 0; ) {
        read = readSync(descriptor, this.#chunk);
        hash.update(this.#chunk.subarray(0, read));
      }
      return `sha-256:${hash.digest('hex')}`;
    } catch {
      return undefined;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }
}

/** Undefined where nothing is, or something else than a folder is in its path. */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Where it is not ours to set, its bytes are right all the same. */
function setTimes(file: string, seconds: number): void {
  try {
    utimesSync(file, seconds, seconds);
  } catch {
    // As it is.
  }
}
