import { operation, type XmlOperation } from './xml-operation.ts';
import { isBlank, serializeNodes, type XmlElement, type XmlNode } from './xml-tree.ts';

const tests = {
  element: '*',
  text: 'text()',
  comment: 'comment()',
  instruction: 'processing-instruction()',
} as const;

/** The children of an element: nodes, and the texts in the gaps before, between and behind them. */
export class Children {
  readonly path: string;
  readonly nodes: XmlNode[] = [];
  /** One more than nodes; empty where nodes stand side by side. */
  readonly texts: string[] = [''];

  /** Of each among those of its kind, from 1. */
  readonly #places: number[] = [];
  readonly #textPlaces: number[] = [0];

  constructor({ children }: XmlElement, path: string) {
    this.path = path;
    const count = { element: 0, comment: 0, instruction: 0, text: 0 };
    for (const node of children) {
      count[node.kind] += 1;
      if (node.kind === 'text') {
        this.texts[this.texts.length - 1] = node.raw;
        this.#textPlaces[this.#textPlaces.length - 1] = count.text;
      } else {
        this.nodes.push(node);
        this.#places.push(count[node.kind]);
        this.texts.push('');
        this.#textPlaces.push(0);
      }
    }
  }

  select(at: number): string {
    const kind = this.nodes[at]?.kind ?? 'element';
    return `${this.path}/${tests[kind]}[${this.#places[at]}]`;
  }

  selectText(gap: number): string {
    return `${this.path}/text()${this.nodes.length === 0 ? '' : `[${this.#textPlaces[gap]}]`}`;
  }

  /** Texts and nodes from behind the node `from` up to the node `end`. */
  between(from: number, end: number): readonly XmlNode[] {
    const text = (gap: number): XmlNode[] =>
      this.texts[gap] ? [{ kind: 'text', raw: this.texts[gap] }] : [];
    const all = [...text(from + 1)];
    for (let at = from + 1; at < end; at += 1) {
      const node = this.nodes[at];
      if (node) all.push(node, ...text(at + 1));
    }
    return all;
  }
}

/** Makes what is between two nodes that stay what it is to be. */
export function fillGap(
  old: Children,
  [oldFrom, oldEnd]: readonly [number, number],
  now: Children,
  [nowFrom, nowEnd]: readonly [number, number],
): readonly XmlOperation[] {
  const before = old.between(oldFrom, oldEnd);
  const after = now.between(nowFrom, nowEnd);
  if (serializeNodes(before) === serializeNodes(after)) return [];
  const first = old.texts[oldFrom + 1] ?? '';
  if (oldEnd - oldFrom === 1) {
    if (nowEnd - nowFrom === 1 && first !== '' && after.length > 0) {
      return [operation('replace', { sel: old.selectText(oldFrom + 1) }, after)];
    }
    // The text stays before, or behind, what comes new.
    if (first !== '' && now.texts[nowFrom + 1] === first) return [addBefore(old, oldEnd, after.slice(1))];
    if (first !== '' && now.texts[nowEnd] === first) return [addBehind(old, oldFrom, after.slice(0, -1))];
  }
  const left = nowEnd - nowFrom === 1 ? (now.texts[nowFrom + 1] ?? '') : undefined;
  const spaces = old.texts.slice(oldFrom + 1, oldEnd + 1);
  if (left !== undefined && oldEnd - oldFrom > 1) {
    if (spaces.at(-1) === left && spaces.slice(0, -1).every(isBlank))
      return removeAll(old, oldFrom, oldEnd, 'before');
    if (spaces[0] === left && spaces.slice(1).every(isBlank)) return removeAll(old, oldFrom, oldEnd, 'after');
    if (spaces.join('') === left) return removeAll(old, oldFrom, oldEnd);
  }
  const removals: XmlOperation[] = [];
  for (let at = oldEnd; at > oldFrom; at -= 1) {
    if (at < oldEnd) removals.push(operation('remove', { sel: old.select(at) }));
    if (old.texts[at]) removals.push(operation('remove', { sel: old.selectText(at) }));
  }
  return after.length === 0 ? removals : [...removals, addBehind(old, oldFrom, after)];
}

function removeAll(old: Children, from: number, end: number, ws?: 'before' | 'after'): XmlOperation[] {
  const operations: XmlOperation[] = [];
  for (let at = end - 1; at > from; at -= 1) {
    operations.push(operation('remove', { sel: old.select(at), ...(ws && { ws }) }));
  }
  return operations;
}

function addBefore(old: Children, at: number, content: readonly XmlNode[]): XmlOperation {
  const place = at < old.nodes.length ? { sel: old.select(at), pos: 'before' } : { sel: old.path };
  return operation('add', place, content);
}

function addBehind(old: Children, at: number, content: readonly XmlNode[]): XmlOperation {
  const place = at >= 0 ? { sel: old.select(at), pos: 'after' } : { sel: old.path, pos: 'prepend' };
  return operation('add', place, content);
}
