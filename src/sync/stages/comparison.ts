import { closeSync, openSync, writeSync } from 'node:fs';
import type { HeldResource } from '../state/held-resources.ts';
import type { FileState, HeldFiles } from './held-files.ts';

/** As `rclone check --combined` has them. */
export const marks = { same: '=', missing: '+', surplus: '-', different: '*', refused: '!' } as const;

/** What was found of files that lie in a directory. */
export interface LookedAt {
  files: number;
  /** Not as they were put there, and still stated. */
  altered: number;
  missing: number;
}

/** What an audit finds, resource by resource: compared with the list, and with what lies in the directory. */
export interface Comparison {
  /** Undefined: nobody looks at what lies there. */
  readonly looked: Readonly<LookedAt> | undefined;
  /** What became of a held resource in its directory; `same` where nobody looks. */
  look(held: HeldResource): FileState;
  /** It comes anew because of what `look` found. */
  mends(state: FileState): void;
  note(found: keyof typeof marks, loc: string): void;
  close(): void;
}

/** Lines are gathered, and written so many octets at a time. */
const octetsAtATime = 65_536;

/** Counts what is found of files, and writes what is found of each resource, a line each: `= https://repo.example.org/1.xml`. */
export class Findings implements Comparison {
  readonly looked: LookedAt | undefined;
  readonly #file: number | undefined;
  readonly #held: HeldFiles | undefined;
  #text = '';

  /**
   * @param file the one that was there is replaced; undefined: nothing is written
   * @param held undefined: what lies there is not looked at
   */
  constructor(file: string | undefined, held: HeldFiles | undefined) {
    this.#file = file === undefined ? undefined : openSync(file, 'w');
    this.#held = held;
    this.looked = held && { files: 0, altered: 0, missing: 0 };
  }

  look(resource: HeldResource): FileState {
    if (this.#held === undefined || this.looked === undefined) return 'same';
    this.looked.files += 1;
    return this.#held.look(resource);
  }

  mends(state: FileState): void {
    if (this.looked === undefined || state === 'same') return;
    this.looked[state === 'missing' ? 'missing' : 'altered'] += 1;
  }

  note(found: keyof typeof marks, loc: string): void {
    if (this.#file === undefined) return;
    this.#text += `${marks[found]} ${loc}\n`;
    if (this.#text.length >= octetsAtATime) this.#write(this.#file);
  }

  close(): void {
    if (this.#file === undefined) return;
    this.#write(this.#file);
    closeSync(this.#file);
  }

  #write(file: number): void {
    writeSync(file, this.#text);
    this.#text = '';
  }
}
