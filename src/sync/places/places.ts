import type { DirectorySink } from '../sinks/directory-sink.ts';
import type { HeldResources } from '../state/held-resources.ts';
import { locPath, type PlaceRule, withinFolder, withSuffix } from './loc-path.ts';

const remembered = 10_000;

export interface Place {
  /** In the copy, with slashes. */
  readonly path: string;
  /** It depends on what else is there: whoever takes it writes that down at once, or nobody finds it after a kill. */
  readonly isContested: boolean;
}

/** Where resources lie: each has a path of its own, and what is a file for one is no folder for another. */
export class Places {
  readonly #rules: readonly PlaceRule[];
  readonly #held: HeldResources;
  readonly #sink: DirectorySink;
  /** Folders in one case of letters, that no file has the name of. */
  readonly #folders = new Set<string>();

  constructor(rules: readonly PlaceRule[], held: HeldResources, sink: DirectorySink) {
    this.#rules = rules;
    this.#held = held;
    this.#sink = sink;
  }

  /** The place of a resource that is not held yet; a file that has the name of one of its folders gives way. */
  take(loc: string): Place {
    const wanted = locPath(loc, this.#rules);
    const hasMoved = this.#makeWay(wanted);
    let path = this.#held.isFolder(wanted) ? withinFolder(wanted) : wanted;
    this.#folders.delete(path.toLowerCase());
    const other = this.#held.at(path);
    if (other !== undefined && other.loc !== loc) path = withSuffix(path, loc);
    return { path, isContested: hasMoved || path !== wanted };
  }

  /** @returns whether a file gave way */
  #makeWay(path: string): boolean {
    let hasMoved = false;
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (this.#folders.has(folder.toLowerCase())) break;
      const file = this.#held.at(folder);
      if (file !== undefined) {
        const to = withinFolder(file.path);
        this.#sink.move(file.path, to);
        this.#held.moved(file.id, to);
        hasMoved = true;
      }
      if (this.#folders.size >= remembered) this.#folders.clear();
      this.#folders.add(folder.toLowerCase());
    }
    return hasMoved;
  }
}
