import { readdirSync } from 'node:fs';
import { type CopyFolders, DirectorySink } from '../sinks/directory-sink.ts';
import type { ReceivedContent } from '../sinks/received-content.ts';
import type {
  FoundContent,
  FreePlace,
  Placed,
  PlacedResource,
  Promised,
  PutResource,
  Sink,
} from '../sinks/sink.ts';
import { ownFolder } from '../state/copy-database.ts';
import type { HeldResources } from '../state/held-resources.ts';
import { locPath, type PlaceRule } from './loc-path.ts';
import { type Place, Places } from './places.ts';

const nobody: Promised = new Set<string>();

export interface TreeDeps extends CopyFolders {
  /** Undefined: what is replaced is gone. */
  readonly backup: string | undefined;
  readonly rules: readonly PlaceRule[];
  readonly held: HeldResources;
  /** Has the state last. */
  readonly flush: () => void;
}

/** A copy as a tree of files, where each resource has the place that its address says. */
export class TreeSink implements Sink {
  readonly takesContents = true;
  readonly #files: DirectorySink;
  readonly #places: Places;
  readonly #held: HeldResources;
  readonly #flush: () => void;
  readonly #rules: readonly PlaceRule[];
  readonly #hasBackup: boolean;
  /** Nothing lay there when this run began. */
  readonly #isOurs: boolean;
  /** A run was killed while it filled the copy. */
  readonly #wasHidden: boolean;

  constructor({ backup, rules, held, flush, ...folders }: TreeDeps) {
    this.#files = new DirectorySink(folders, backup);
    this.#wasHidden = this.#files.show();
    this.#places = new Places(rules, held, this.#files);
    this.#held = held;
    this.#flush = flush;
    this.#rules = rules;
    this.#hasBackup = backup !== undefined;
    this.#isOurs = readdirSync(folders.directory).every((name) => name === ownFolder);
  }

  find(loc: string): Promise<FoundContent | undefined> | undefined {
    // In a new copy nearly always: to know of all others costs more.
    const isFree = this.#isOurs || !this.#files.isAnything(locPath(loc, this.#rules));
    return isFree ? undefined : this.#find(loc);
  }

  async #find(loc: string): Promise<FoundContent | undefined> {
    const { path, isContested } = this.#places.take(loc);
    if (isContested) this.#flush();
    if (this.#held.at(path) !== undefined || !this.#files.isFile(path)) return undefined;
    const found = await this.#files.measure(path);
    // Another resource may have taken the place meanwhile.
    return this.#held.at(path) === undefined ? { path, ...found } : undefined;
  }

  read({ path }: PlacedResource, maximumOctets: number): Promise<Uint8Array | undefined> {
    return this.#files.read(path, maximumOctets);
  }

  async measure({ path }: PlacedResource): Promise<FoundContent | undefined> {
    // A file in the place of its folder says nothing else.
    if (!this.#files.isAnything(path, false) || !this.#files.isFile(path)) return undefined;
    return { path, ...(await this.#files.measure(path)) };
  }

  freePlace(loc: string, promised: Promised): FreePlace | undefined {
    // What lies there from before would have to be put aside.
    if (this.#hasBackup && !this.#isOurs) return undefined;
    const path = this.#places.free(loc, promised);
    // Nothing in a path has to be resolved, and it has slashes on every system.
    return path === undefined ? undefined : { path, file: `${this.#files.root}/${path}` };
  }

  get isHidden(): boolean {
    return this.#files.isAside;
  }

  hide(): void {
    if (this.#isOurs) this.#files.hide();
  }

  show(): void {
    this.#files.show();
  }

  dropUnfinished(path: string): void {
    if (this.#wasHidden) this.#files.remove(path);
  }

  /** At once: nobody else takes the same place before the state is written. */
  put({ loc, modifiedAt }: PutResource, content: ReceivedContent, held: PlacedResource | undefined): Placed {
    const place = held ? { path: held.path, isContested: false } : this.#place(loc);
    this.#files.put(place.path, content, modifiedAt);
    return place;
  }

  #place(loc: string): Place {
    const path = this.#places.free(loc, nobody);
    return path === undefined ? this.#places.take(loc) : { path, isContested: false };
  }

  remove({ path }: PlacedResource): void {
    this.#files.remove(path);
  }

  async close(): Promise<void> {}
}
