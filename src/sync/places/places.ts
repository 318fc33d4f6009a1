import type { DirectorySink } from '../sinks/directory-sink.ts';
import type { Promised } from '../sinks/sink.ts';
import type { HeldResources } from '../state/held-resources.ts';
import { foldersOf, LocPaths, locPath, type PlaceRule, withinFolder, withSuffix } from './loc-path.ts';

const remembered = 10_000;

/** What nobody else may take while a file is on its way. */
export function* promisesOf(path: string): Generator<string> {
  const fold = path.toLowerCase();
  yield fold;
  for (const folder of foldersOf(fold)) yield `${folder}/`;
}

export interface Place {
  /** In the copy, with slashes. */
  readonly path: string;
  /** It depends on what else is there: whoever takes it writes that down at once, or nobody finds it after a kill. */
  readonly isContested: boolean;
}

/** Where resources lie: each has a path of its own, and what is a file for one is no folder for another. */
export class Places {
  readonly #rules: readonly PlaceRule[];
  readonly #paths: LocPaths;
  readonly #held: HeldResources;
  readonly #sink: DirectorySink;
  /** Folders in one case of letters, that no file has the name of. */
  readonly #folders = new Set<string>();

  constructor(rules: readonly PlaceRule[], held: HeldResources, sink: DirectorySink) {
    this.#rules = rules;
    this.#paths = new LocPaths(rules);
    this.#held = held;
    this.#sink = sink;
  }

  /**
   * The path of a resource that is not held yet, where it has nothing to do with any other.
   * @param promised to others that are not held yet, as `promisesOf` says
   * @returns undefined: `take` has to see to it
   */
  free(loc: string, promised: Promised): string | undefined {
    const path = this.#paths.of(loc);
    const fold = path.toLowerCase();
    const isNew = this.#held.isNewPath(fold);
    if (!isNew && (promised.has(fold) || promised.has(`${fold}/`))) return undefined;
    for (const folder of foldersOf(fold)) {
      if (this.#folders.has(folder)) break;
      if (this.#held.mayBeAt(folder) && (promised.has(folder) || this.#held.isAt(folder))) return undefined;
      this.#remember(folder);
    }
    if (!isNew && this.#held.isTaken(fold)) return undefined;
    this.#folders.delete(fold);
    return path;
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
    for (const folder of foldersOf(path)) {
      if (this.#folders.has(folder.toLowerCase())) break;
      const file = this.#held.at(folder);
      if (file !== undefined) {
        const to = withinFolder(file.path);
        this.#sink.move(file.path, to);
        this.#held.moved(file.id, to);
        hasMoved = true;
      }
      this.#remember(folder.toLowerCase());
    }
    return hasMoved;
  }

  #remember(folder: string): void {
    if (this.#folders.size >= remembered) this.#folders.clear();
    this.#folders.add(folder);
  }
}
