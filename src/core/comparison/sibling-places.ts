import { type ContentNode, tagOf } from './content-node.ts';

const shownAttributes = 80;

/** How the children of one element, object or array are told apart in paths. */
export class SiblingPlaces {
  readonly #children: readonly ContentNode[];
  #counts: Counts | undefined;

  constructor(children: readonly ContentNode[]) {
    this.#children = children;
  }

  /** Of one that is there before and after: by its attributes, else by a number, where it is not alone. */
  exact(at: number): string {
    const node = this.#children[at];
    if (!node || isPlace(node)) return `[${at}]`;
    this.#counts ??= count(this.#children);
    const { byName, byTag, tagsOfName } = this.#counts;
    if ((byName.totals.get(node.name) ?? 0) < 2) return node.label;
    const shown = (tagsOfName.get(node.name) ?? 0) > 1 ? attributesOf(node) : '';
    if (shown === '') return `${node.label}[${byName.ordinals[at]}]`;
    const alone = byTag.totals.get(tagOf(node)) === 1;
    return `${node.label}${shown}${alone ? '' : `[${byTag.ordinals[at]}]`}`;
  }

  /** Of one that comes or goes: what it is, not where. */
  named(at: number): string {
    const node = this.#children[at];
    return !node || isPlace(node) ? `[${at}]` : `${node.label}${attributesOf(node)}`;
  }
}

/** In an array. */
function isPlace({ label }: ContentNode): boolean {
  return label === '';
}

function attributesOf({ attributes, mark }: ContentNode): string {
  const telling =
    mark === undefined ? attributes : attributes.filter(({ value }) => value === mark).slice(0, 1);
  const text = telling.map(({ label, value }) => `${label}=${value}`).join(' ');
  return text === '' || text.length > shownAttributes ? '' : `[${text}]`;
}

interface Ordinals {
  readonly totals: ReadonlyMap<string, number>;
  /** Of each child among its like, from 1. */
  readonly ordinals: readonly number[];
}

interface Counts {
  readonly byName: Ordinals;
  readonly byTag: Ordinals;
  readonly tagsOfName: ReadonlyMap<string, number>;
}

function count(children: readonly ContentNode[]): Counts {
  const tags = children.map(tagOf);
  const tagsOfName = new Map<string, number>();
  const seen = new Set<string>();
  for (const [index, { name }] of children.entries()) {
    const tag = tags[index] ?? '';
    if (!seen.has(tag)) tagsOfName.set(name, (tagsOfName.get(name) ?? 0) + 1);
    seen.add(tag);
  }
  return { byName: ordinalsOf(children.map(({ name }) => name)), byTag: ordinalsOf(tags), tagsOfName };
}

function ordinalsOf(keys: readonly string[]): Ordinals {
  const totals = new Map<string, number>();
  const ordinals = keys.map((key) => {
    const ordinal = (totals.get(key) ?? 0) + 1;
    totals.set(key, ordinal);
    return ordinal;
  });
  return { totals, ordinals };
}
