import { Children, fillGap } from './xml-gap.ts';
import { operation, sizeOf, type XmlOperation } from './xml-operation.ts';
import {
  declaredPrefix,
  openingTag,
  prefixOf,
  type XmlAttribute,
  type XmlElement,
  type XmlNode,
} from './xml-tree.ts';

/** Comparing two lists of children costs as many steps as their lengths multiplied. */
const budget = 4_000_000;

/**
 * What makes `before` the root `after`. The last places come first, so that no operation moves the place of
 * one behind it; selectors count children, which does not depend on anybody's idea of namespaces.
 * @returns undefined when nothing short of a new root element would do, or when it costs too much
 */
export function compareElements(before: XmlElement, after: XmlElement): readonly XmlOperation[] | undefined {
  return new Comparison().elements(before, after, '/*');
}

class Comparison {
  readonly #identities = new Map<string, number>();
  readonly #known = new Map<XmlNode, number>();
  #cost = 0;

  elements(before: XmlElement, after: XmlElement, path: string): readonly XmlOperation[] | undefined {
    if (this.#identity(before) === this.#identity(after)) return [];
    const attributes = compareTags(before, after, path);
    const children = attributes && this.#children(before, after, path);
    return children && [...children, ...attributes];
  }

  /** Equal subtrees, and no others, have equal numbers. */
  #identity(node: XmlNode): number {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    const content =
      node.kind === 'element'
        ? `${openingTag(node)}${node.closing}\0${node.children.map((child) => this.#identity(child)).join()}`
        : `${node.kind}\0${node.raw}`;
    const identity = this.#identities.get(content) ?? this.#identities.size;
    this.#identities.set(content, identity);
    this.#known.set(node, identity);
    return identity;
  }

  #children(before: XmlElement, after: XmlElement, path: string): readonly XmlOperation[] | undefined {
    const old = new Children(before, path);
    const now = new Children(after, path);
    const pairs = this.#align(old.nodes, now.nodes);
    if (!pairs) return undefined;
    const operations: XmlOperation[] = [];
    let [oldEnd, nowEnd] = [old.nodes.length, now.nodes.length];
    for (const [oldAt, nowAt] of [...pairs.reverse(), [-1, -1] as const]) {
      operations.push(...fillGap(old, [oldAt, oldEnd], now, [nowAt, nowEnd]));
      [oldEnd, nowEnd] = [oldAt, nowAt];
      const [node, next] = [old.nodes[oldAt], now.nodes[nowAt]];
      if (node?.kind !== 'element' || next?.kind !== 'element') continue;
      operations.push(...this.#pair(node, next, old.select(oldAt)));
    }
    return operations;
  }

  /** Whichever is shorter: what changed within, or the element as a whole. */
  #pair(before: XmlElement, after: XmlElement, path: string): readonly XmlOperation[] {
    const within = this.elements(before, after, path);
    const whole = operation('replace', { sel: path }, [after]);
    return within && sizeOf(within) <= sizeOf([whole]) ? within : [whole];
  }

  /** Equal children belong together; between those, elements of one name, in their order. */
  #align(old: readonly XmlNode[], now: readonly XmlNode[]): [number, number][] | undefined {
    const same = this.#common(
      old.map((node) => this.#identity(node)),
      now.map((node) => this.#identity(node)),
    );
    if (!same) return undefined;
    const pairs: [number, number][] = [];
    let [oldFrom, nowFrom] = [0, 0];
    for (const [oldAt, nowAt] of [...same, [old.length, now.length] as const]) {
      const names = (nodes: readonly XmlNode[]) =>
        nodes.map((node, index) => (node.kind === 'element' ? node.name : index));
      const alike = this.#common(
        names(old.slice(oldFrom, oldAt)),
        names(now.slice(nowFrom, nowAt)).map((name) => (typeof name === 'number' ? -1 - name : name)),
      );
      if (!alike) return undefined;
      pairs.push(...alike.map(([a, b]): [number, number] => [oldFrom + a, nowFrom + b]));
      if (oldAt < old.length) pairs.push([oldAt, nowAt]);
      [oldFrom, nowFrom] = [oldAt + 1, nowAt + 1];
    }
    return pairs;
  }

  /** The longest common subsequence, as pairs of places; undefined when it costs too much. */
  #common<Key>(a: readonly Key[], b: readonly Key[]): [number, number][] | undefined {
    let start = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
    let tail = 0;
    while (tail < a.length - start && tail < b.length - start && a.at(-1 - tail) === b.at(-1 - tail))
      tail += 1;
    const [rows, columns] = [a.length - start - tail, b.length - start - tail];
    this.#cost += (rows + 1) * (columns + 1);
    if (this.#cost > budget) return undefined;
    const width = columns + 1;
    const lengths = new Uint32Array((rows + 1) * width);
    const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
    for (let i = rows - 1; i >= 0; i -= 1) {
      for (let j = columns - 1; j >= 0; j -= 1) {
        lengths[i * width + j] =
          a[start + i] === b[start + j]
            ? lengthAt(i + 1, j + 1) + 1
            : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
      }
    }
    const pairs = Array.from({ length: start }, (_, index): [number, number] => [index, index]);
    for (let i = 0, j = 0; i < rows && j < columns; ) {
      if (a[start + i] === b[start + j]) pairs.push([start + i++, start + j++]);
      else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
      else j += 1;
    }
    for (let k = tail; k > 0; k -= 1) pairs.push([a.length - k, b.length - k]);
    return pairs;
  }
}

/** @returns undefined when the tags differ in more than attributes can be made to */
function compareTags(
  before: XmlElement,
  after: XmlElement,
  path: string,
): readonly XmlOperation[] | undefined {
  if (before.name !== after.name) return undefined;
  // An empty tag opens by itself as soon as something comes in.
  const opened = before.closing === '' && after.closing === `</${after.name}>` && after.children.length > 0;
  const sameEnd = opened
    ? after.tagEnd === '>'
    : before.tagEnd === after.tagEnd && before.closing === after.closing;
  if (!sameEnd) return undefined;
  const wanted = new Map(after.attributes.map((attribute) => [attribute.name, attribute]));
  const kept = before.attributes.filter(({ name }) => wanted.has(name));
  const added = after.attributes.slice(kept.length);
  const fits =
    kept.every((attribute, index) => sameShape(attribute, after.attributes[index])) &&
    added.every(({ space, equals, quote }) => space === ' ' && equals === '=' && quote === '"');
  const removed = before.attributes.filter(({ name }) => !wanted.has(name));
  const changed = kept.filter(({ name, value }) => wanted.get(name)?.value !== value);
  const names = [...removed, ...changed, ...added].map(({ name }) => name);
  if (!fits || names.some((name) => declaredPrefix(name) !== undefined)) return undefined;
  const content = (name: string): XmlNode[] => [{ kind: 'text', raw: wanted.get(name)?.value ?? '' }];
  const prefixed = (made: XmlOperation, name: string): XmlOperation => {
    const prefix = prefixOf(name);
    const namespace = prefix === '' ? undefined : after.scope.get(prefix);
    return namespace === undefined ? made : { ...made, namespaces: new Map([[prefix, namespace]]) };
  };
  return [
    ...removed.map(({ name }) => prefixed(operation('remove', { sel: `${path}/@${name}` }), name)),
    ...changed.map(({ name }) =>
      prefixed(operation('replace', { sel: `${path}/@${name}` }, content(name)), name),
    ),
    ...added.map(({ name }) =>
      prefixed(operation('add', { sel: path, type: `@${name}` }, content(name)), name),
    ),
  ];
}

function sameShape(a: XmlAttribute, b: XmlAttribute | undefined): boolean {
  return (
    b !== undefined &&
    a.name === b.name &&
    a.space === b.space &&
    a.equals === b.equals &&
    a.quote === b.quote
  );
}
