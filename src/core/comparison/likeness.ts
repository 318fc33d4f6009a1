import type { ContentNode } from './content-node.ts';

/** So many comparisons of two in one document; then their order has to do. */
const budget = 200_000;
const wordsRead = 200;

export interface Score {
  /** Places in what was given. */
  readonly a: number;
  readonly b: number;
  /** 0 to 1. */
  readonly score: number;
}

/** How much siblings have in common: the share of their words. */
export class Likeness {
  readonly #words = new Map<ContentNode, ReadonlySet<string>>();
  #spent = 0;

  /** Best first; none where it would take too long. */
  scores(before: readonly ContentNode[], after: readonly ContentNode[]): readonly Score[] {
    const cost = before.length * after.length;
    if (this.#spent + cost > budget) return [];
    this.#spent += cost;
    const scores = before.flatMap((old, a) =>
      after.map((now, b) => ({ a, b, score: share(this.#wordsOf(old), this.#wordsOf(now)) })),
    );
    return scores
      .filter(({ score }) => score > 0)
      .sort((x, y) => y.score - x.score || x.a - y.a || x.b - y.b);
  }

  #wordsOf(node: ContentNode): ReadonlySet<string> {
    const known = this.#words.get(node);
    if (known) return known;
    const attributes = node.attributes.map(({ name, value }) => `${name}=${value}`);
    const words =
      node
        .summary()
        .slice(0, 2000)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [];
    const found = new Set([...attributes, ...words.slice(0, wordsRead)]);
    this.#words.set(node, found);
    return found;
  }
}

function share(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : common / all;
}
