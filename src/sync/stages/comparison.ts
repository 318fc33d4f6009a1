import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { toMilliseconds } from '../../core/datetime.ts';
import type { HeldResource } from '../state/held-resources.ts';

/** As `rclone check --combined` has them. */
export const marks = { same: '=', missing: '+', surplus: '-', different: '*', refused: '!' } as const;

/** What an audit finds, resource by resource: compared with the list, and with what lies in the directory. */
export interface Comparison {
  /** What became of a held resource in its directory; `same` where nobody has looked. */
  look(held: HeldResource): 'same' | 'missing' | 'different';
  note(found: keyof typeof marks, loc: string): void;
}

/** Lines are gathered, and written so many octets at a time. */
const octetsAtATime = 65_536;

/** A comparison that is written to a file, a line each: `= https://repo.example.org/1.xml`. */
export class ComparisonFile implements Comparison {
  readonly #file: number;
  readonly #directory: string | undefined;
  #text = '';

  /**
   * @param file the one that was there is replaced
   * @param directory of files, by the paths that the state has; undefined: what lies there is not looked at
   */
  constructor(file: string, directory: string | undefined) {
    this.#file = openSync(file, 'w');
    this.#directory = directory;
  }

  look({ path, length, lastmod }: HeldResource): 'same' | 'missing' | 'different' {
    if (this.#directory === undefined) return 'same';
    const found = statSync(join(this.#directory, path), { throwIfNoEntry: false });
    if (found === undefined || !found.isFile()) return 'missing';
    const isTimed = lastmod === undefined || Math.floor(found.mtimeMs) === toMilliseconds(lastmod);
    return found.size === length && isTimed ? 'same' : 'different';
  }

  note(found: keyof typeof marks, loc: string): void {
    this.#text += `${marks[found]} ${loc}\n`;
    if (this.#text.length >= octetsAtATime) this.#write();
  }

  close(): void {
    this.#write();
    closeSync(this.#file);
  }

  #write(): void {
    writeSync(this.#file, this.#text);
    this.#text = '';
  }
}
