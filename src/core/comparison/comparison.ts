import { type ContentNode, type ContentTree, collapse, countNodes } from './content-node.ts';
import { Identities } from './identities.ts';
import { readJsonContent } from './json-content.ts';
import { SiblingMatcher } from './sibling-matching.ts';
import { SiblingPlaces } from './sibling-places.ts';
import { readXmlContent } from './xml-content.ts';

/** Something that a document says and another one does not. */
export interface ContentChange {
  /** `moved`: only its place among its siblings is another. */
  readonly kind: 'added' | 'removed' | 'changed' | 'moved';
  /**
   * Below the root, by the names as the document writes them: `dc:title`, `mods:name[type=personal]/mods:namePart`,
   * `dc:title/@xml:lang`; in JSON `metadata["dc.title"][0].value`. `` is the root itself.
   */
  readonly path: string;
  /** Text in XML, a literal in JSON; of what has parts, all its text. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Elements or values in what came or went, if several; of a move, the children that moved, if several. */
  readonly size?: number | undefined;
}

/** What differs besides, and says nothing. */
export type Aside = 'whitespace' | 'comments' | 'writing';

export interface ContentComparison {
  readonly language: 'xml' | 'json';
  /** In the order of the later document; the first ones. */
  readonly changes: readonly ContentChange[];
  /** How many there are. */
  readonly count: number;
  readonly asides: readonly Aside[];
}

/** Octets; larger ones are not read into memory as trees. */
export const largestComparable = 4_194_304;

/**
 * What changed from one payload to another, for people: values, attributes and places, not octets.
 * @param limit how many changes are wanted; all are counted
 * @returns undefined for anything that is not XML or JSON in both (or has a DTD, or is over 4 MiB or 100,000 elements)
 */
export function compareContents(
  before: Uint8Array,
  after: Uint8Array,
  limit = Number.POSITIVE_INFINITY,
): ContentComparison | undefined {
  const [old, now] = [readContent(before), readContent(after)];
  if (!old || !now || old.language !== now.language) return undefined;
  const comparison = new Comparison(old.language, limit);
  comparison.roots(old.root, now.root);
  const isSame = Buffer.compare(before, after) === 0;
  return comparison.result(old.comments.join('\0') !== now.comments.join('\0'), isSame);
}

function readContent(bytes: Uint8Array): ContentTree | undefined {
  if (bytes.byteLength > largestComparable) return undefined;
  const start = Buffer.from(bytes.subarray(0, 200))
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  return start.startsWith('<')
    ? readXmlContent(bytes)
    : /^[[{]/.test(start)
      ? readJsonContent(bytes)
      : undefined;
}

class Comparison {
  readonly #language: ContentTree['language'];
  readonly #limit: number;
  readonly #identities = new Identities();
  readonly #matcher = new SiblingMatcher(this.#identities);
  readonly #changes: ContentChange[] = [];
  #count = 0;
  #whitespace = false;

  constructor(language: ContentTree['language'], limit: number) {
    this.#language = language;
    this.#limit = limit;
  }

  roots(before: ContentNode, after: ContentNode): void {
    if (before.name === after.name) {
      this.#compare(before, after, '');
      return;
    }
    this.#goes('removed', before, () => before.label);
    this.#goes('added', after, () => after.label);
  }

  result(comments: boolean, isSame: boolean): ContentComparison {
    const asides: Aside[] = [];
    if (this.#whitespace) asides.push('whitespace');
    if (comments) asides.push('comments');
    if (!isSame && this.#count === 0 && asides.length === 0) asides.push('writing');
    return { language: this.#language, changes: this.#changes, count: this.#count, asides };
  }

  #compare(before: ContentNode, after: ContentNode, path: string): void {
    if (this.#identities.meant(before) === this.#identities.meant(after)) {
      if (this.#identities.exact(before) !== this.#identities.exact(after)) this.#whitespace = true;
      return;
    }
    this.#attributes(before, after, path);
    const [old, now] = [before.value, after.value];
    if (old !== undefined && now !== undefined) this.#values(old, now, path);
    // What was empty has got parts, or the other way round.
    else if (isEmpty(old) && isEmpty(now)) this.#children(before, after, path);
    else this.#note(() => ({ kind: 'changed', path, before: before.summary(), after: after.summary() }));
  }

  #values(before: string, after: string, path: string): void {
    if (before === after) return;
    if (collapse(before) === collapse(after)) this.#whitespace = true;
    else this.#note(() => ({ kind: 'changed', path, before, after }));
  }

  #attributes(before: ContentNode, after: ContentNode, path: string): void {
    const pathOf = (label: string) => (path === '' ? `@${label}` : `${path}/@${label}`);
    const old = new Map(before.attributes.map((attribute) => [attribute.name, attribute]));
    for (const { name, label, value } of after.attributes) {
      const known = old.get(name);
      old.delete(name);
      if (!known) this.#note(() => ({ kind: 'added', path: pathOf(label), after: value }));
      else if (known.value !== value)
        this.#note(() => ({ kind: 'changed', path: pathOf(label), before: known.value, after: value }));
    }
    for (const { label, value } of old.values())
      this.#note(() => ({ kind: 'removed', path: pathOf(label), before: value }));
  }

  #children(before: ContentNode, after: ContentNode, path: string): void {
    const { pairs, removed, added } = this.#matcher.match(before.children, after.children);
    const [oldPlaces, nowPlaces] = [new SiblingPlaces(before.children), new SiblingPlaces(after.children)];
    const moved = this.#language === 'xml' || isArray(after) ? outOfOrder(pairs) : [];
    const steps: [at: number, step: () => void][] = [];
    for (const place of added) {
      const node = after.children[place];
      if (node)
        steps.push([place, () => this.#goes('added', node, () => this.#join(path, nowPlaces.named(place)))]);
    }
    let behind = -1;
    const pairOf = new Map(pairs);
    const isRemoved = new Set(removed);
    for (const [place, old] of before.children.entries()) {
      const partner = pairOf.get(place);
      const now = partner === undefined ? undefined : after.children[partner];
      if (now && partner !== undefined) {
        behind = partner;
        steps.push([partner, () => this.#pair(old, now, () => this.#join(path, oldPlaces.exact(place)))]);
      } else if (isRemoved.has(place)) {
        const at = behind + 0.5;
        steps.push([at, () => this.#goes('removed', old, () => this.#join(path, oldPlaces.named(place)))]);
      }
    }
    for (const [, step] of steps.sort(([a], [b]) => a - b)) step();
    this.#moves(moved, after, path, nowPlaces);
  }

  #pair(before: ContentNode, after: ContentNode, path: () => string): void {
    // Nobody will see the path of what is the same, or only counted.
    const isSeen =
      this.#changes.length < this.#limit && this.#identities.meant(before) !== this.#identities.meant(after);
    this.#compare(before, after, isSeen ? path() : '');
  }

  #moves(moved: readonly number[], parent: ContentNode, path: string, places: SiblingPlaces): void {
    const [first] = moved;
    const node = first === undefined ? undefined : parent.children[first];
    if (first === undefined || !node) return;
    if (moved.length > 1) this.#note(() => ({ kind: 'moved', path, size: moved.length }));
    else
      this.#note(() => ({
        kind: 'moved',
        path: this.#join(path, places.named(first)),
        after: node.summary(),
      }));
  }

  #goes(kind: 'added' | 'removed', node: ContentNode, path: () => string): void {
    this.#note(() => {
      const value = node.value ?? node.summary();
      const size = countNodes(node);
      const facts = { kind, path: path(), ...(size > 1 ? { size } : {}) };
      return kind === 'added' ? { ...facts, after: value } : { ...facts, before: value };
    });
  }

  #note(change: () => ContentChange): void {
    this.#count += 1;
    if (this.#changes.length < this.#limit) this.#changes.push(change());
  }

  #join(path: string, label: string): string {
    if (this.#language === 'json') return path === '' ? label.replace(/^\./, '') : `${path}${label}`;
    return path === '' ? label : `${path}/${label}`;
  }
}

function isEmpty(value: string | undefined): boolean {
  return value === undefined || value.trim() === '';
}

function isArray({ name }: ContentNode): boolean {
  return name.endsWith('[]');
}

/** Places after of those that had to move: all but the longest row that kept its order. */
function outOfOrder(pairs: readonly (readonly [number, number])[]): readonly number[] {
  const places = pairs.map(([, after]) => after);
  // By length, the row that ends lowest: indices into `places`.
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, place] of places.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[ends[middle] ?? 0] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const kept = new Set<number>();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) kept.add(index);
  return places.filter((_, index) => !kept.has(index));
}
