import { type ContentNode, tagOf } from './content-node.ts';
import type { Identities } from './identities.ts';
import { Likeness } from './likeness.ts';

/** Which children are which: places before and after. */
export interface Matching {
  /** In the order of their places before. */
  readonly pairs: readonly (readonly [before: number, after: number])[];
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

/** Pairs children that are the same, then those that must be the same, then those that are alike; wherever they are. */
export class SiblingMatcher {
  readonly #identities: Identities;
  readonly #likeness = new Likeness();

  constructor(identities: Identities) {
    this.#identities = identities;
  }

  match(before: readonly ContentNode[], after: readonly ContentNode[]): Matching {
    const round = new Round(before, after);
    round.pair((node) => this.#identities.meant(node), inOrder);
    round.pair(({ name, mark }) => (mark === undefined ? undefined : `${name}\0${mark}`), inOrder);
    round.pair(
      (node) => (isUnmarked(node) ? tagOf(node) : undefined),
      (old, now) => this.#byLikeness(before, after, old, now, 0.3),
    );
    round.pair(
      (node) => (isUnmarked(node) ? node.name : undefined),
      (old, now) => this.#byLikeness(before, after, old, now, 0.5),
    );
    return round.result();
  }

  /** Where nothing is alike, as many as there were before took their places. */
  #byLikeness(
    before: readonly ContentNode[],
    after: readonly ContentNode[],
    old: readonly number[],
    now: readonly number[],
    least: number,
  ): [number, number][] {
    if (old.length === 1 && now.length === 1) return inOrder(old, now);
    const scores = this.#likeness.scores(pick(before, old), pick(after, now));
    const taken: [number, number][] = [];
    const [usedOld, usedNow] = [new Set<number>(), new Set<number>()];
    for (const { a, b, score } of scores) {
      if (score < least) break;
      if (usedOld.has(a) || usedNow.has(b)) continue;
      usedOld.add(a);
      usedNow.add(b);
      taken.push([old[a] ?? 0, now[b] ?? 0]);
    }
    if (old.length !== now.length) return taken;
    const rest = (places: readonly number[], used: ReadonlySet<number>) =>
      places.filter((_, index) => !used.has(index));
    return [...taken, ...inOrder(rest(old, usedOld), rest(now, usedNow))];
  }
}

/** Two with marks that differ are two. */
function isUnmarked({ mark }: ContentNode): boolean {
  return mark === undefined;
}

function pick(nodes: readonly ContentNode[], places: readonly number[]): readonly ContentNode[] {
  return places.flatMap((place) => nodes[place] ?? []);
}

function inOrder(old: readonly number[], now: readonly number[]): [number, number][] {
  const length = Math.min(old.length, now.length);
  return Array.from({ length }, (_, index) => [old[index] ?? 0, now[index] ?? 0]);
}

class Round {
  readonly #before: readonly ContentNode[];
  readonly #after: readonly ContentNode[];
  readonly #pairs = new Map<number, number>();
  readonly #taken = new Set<number>();

  constructor(before: readonly ContentNode[], after: readonly ContentNode[]) {
    this.#before = before;
    this.#after = after;
  }

  /** Those not yet paired that have the same key, as `choose` sees fit. */
  pair(
    keyOf: (node: ContentNode) => string | number | undefined,
    choose: (old: readonly number[], now: readonly number[]) => [number, number][],
  ): void {
    if (this.#pairs.size === this.#before.length || this.#taken.size === this.#after.length) return;
    const group = (nodes: readonly ContentNode[], isPaired: (place: number) => boolean) => {
      const groups = new Map<string | number, number[]>();
      for (const [place, node] of nodes.entries()) {
        const key = isPaired(place) ? undefined : keyOf(node);
        if (key === undefined) continue;
        const known = groups.get(key);
        if (known) known.push(place);
        else groups.set(key, [place]);
      }
      return groups;
    };
    const now = group(this.#after, (place) => this.#taken.has(place));
    for (const [key, old] of group(this.#before, (place) => this.#pairs.has(place))) {
      for (const [a, b] of choose(old, now.get(key) ?? [])) {
        this.#pairs.set(a, b);
        this.#taken.add(b);
      }
    }
  }

  result(): Matching {
    return {
      pairs: [...this.#pairs].sort(([a], [b]) => a - b),
      removed: [...this.#before.keys()].filter((place) => !this.#pairs.has(place)),
      added: [...this.#after.keys()].filter((place) => !this.#taken.has(place)),
    };
  }
}
