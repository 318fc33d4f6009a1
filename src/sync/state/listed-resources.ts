import {
  type DueResource,
  type DueResources,
  isEarlierState,
  PassingResource,
  type StatedResource,
} from './due-resources.ts';
import { type ExpectedFiles, type ExpectedGroup, isToCome } from './expected-files.ts';
import type { HeldResources } from './held-resources.ts';

/** As many are written down together. */
const groupSize = 512;

interface Sum {
  readonly count: number;
  /** Of how many a length is stated, and what those come to. */
  readonly stated: number;
  readonly octets: number;
}

/** Resources that were written down together. */
interface Group {
  readonly kept: ExpectedGroup;
  readonly sum: Sum;
  /** Those that have not been seen to, once they are handed out. */
  left: number;
}

/** One that was handed out. */
class ListedResource extends PassingResource {
  readonly group: Group;
  isSeenTo = false;

  constructor(resource: PassingResource, group: Group) {
    super(resource, resource.asOf);
    this.group = group;
  }
}

/**
 * What a list names that a copy does not have, while it has nothing: written down many at a time, for rows that come and go
 * cost more. What is read after the list may make rows of the same resources; the newer statement counts. Whatever ends a run,
 * what has not been seen to is due in the next one (`ExpectedFiles.recall`).
 */
export class ListedResources {
  readonly #expected: ExpectedFiles;
  readonly #held: HeldResources;
  readonly #due: DueResources;
  #gathered = new Map<string, PassingResource>();
  readonly #groups: Group[] = [];
  /** Those of which something is left. */
  readonly #open = new Map<Group, readonly ListedResource[]>();

  constructor(expected: ExpectedFiles, held: HeldResources, due: DueResources) {
    this.#expected = expected;
    this.#held = held;
    this.#due = due;
  }

  add(statement: StatedResource, asOf: string): void {
    const before = this.#gathered.get(statement.loc);
    if (before !== undefined && isEarlierState(statement, before)) return;
    this.#gathered.set(statement.loc, new PassingResource(statement, asOf));
    if (this.#gathered.size >= groupSize) this.write();
  }

  /** The end of a list: what was gathered is written with whatever follows from the list. */
  write(): void {
    if (this.#gathered.size === 0) return;
    const resources = [...this.#gathered.values()];
    const lengths = resources.flatMap(({ length }) => length ?? []);
    const octets = lengths.reduce((sum, length) => sum + length, 0);
    const sum = { count: resources.length, stated: lengths.length, octets };
    this.#groups.push({ kept: this.#expected.write(resources), sum, left: sum.count });
    this.#gathered = new Map();
  }

  /** Of all that were written and have not been handed out. */
  sum(): Sum {
    const sum = { count: 0, stated: 0, octets: 0 };
    for (const { sum: more } of this.#groups) {
      sum.count += more.count;
      sum.stated += more.stated;
      sum.octets += more.octets;
    }
    return sum;
  }

  /** Hands out what nothing newer is known of, in the order of the list; `seenTo` is to be told of each. */
  *take(): Generator<DueResource, undefined> {
    const hasRows = this.#due.highestId() > 0;
    for (let group = this.#groups.shift(); group !== undefined; group = this.#groups.shift()) {
      const resources = group.kept.read().map((resource) => new ListedResource(resource, group));
      this.#open.set(group, resources);
      for (const resource of resources) {
        if (this.#isCurrent(resource, hasRows)) yield resource;
        else this.seenTo(resource);
      }
    }
    return undefined;
  }

  #isCurrent(resource: DueResource, hasRows: boolean): boolean {
    const { loc, asOf } = resource;
    const row = hasRows ? this.#due.find(loc) : undefined;
    const isLater = row !== undefined && row.asOf === asOf && isEarlierState(row, resource);
    if (row !== undefined && (row.asOf < asOf || isLater)) this.#due.add(resource, asOf);
    // A part of a list that was read twice names it twice.
    return row === undefined && isToCome(resource, this.#held);
  }

  /** It is in the copy, or has a row. */
  seenTo(resource: DueResource): void {
    if (!(resource instanceof ListedResource) || resource.isSeenTo) return;
    resource.isSeenTo = true;
    const { group } = resource;
    group.left -= 1;
    if (group.left > 0) return;
    this.#open.delete(group);
    group.kept.forget();
  }

  /** Nothing more is taken for now, and nothing is under way: the rest of what was begun has rows. */
  leave(): void {
    for (const [group, resources] of this.#open) {
      for (const resource of resources)
        if (!resource.isSeenTo && isToCome(resource, this.#held)) this.#due.left(resource);
      group.kept.forget();
    }
    this.#open.clear();
  }
}
