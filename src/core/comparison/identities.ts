import { type ContentNode, collapse, tagOf } from './content-node.ts';

/** Equal subtrees, and no others, have equal numbers. */
export class Identities {
  readonly #numbers = new Map<string, number>();
  readonly #tags = new Map<string, number>();
  readonly #meant = new Map<ContentNode, number>();
  readonly #exact = new Map<ContentNode, number>();

  /** By what it says: white space aside. */
  meant(node: ContentNode): number {
    return this.#number(node, this.#meant, ({ value, children }) => {
      const text = value === undefined ? '' : `\0=${collapse(value)}`;
      return `~${text}\0${children.map((child) => this.meant(child)).join()}`;
    });
  }

  /** To the last space. */
  exact(node: ContentNode): number {
    return this.#number(node, this.#exact, ({ value, space, children }) => {
      const text = value === undefined ? '' : `\0=${value}`;
      return `=${text}\0${space}\0${children.map((child) => this.exact(child)).join()}`;
    });
  }

  /** Said once, however many elements have it. */
  #tag(node: ContentNode): number {
    const text = tagOf(node);
    const number = this.#tags.get(text) ?? this.#tags.size;
    this.#tags.set(text, number);
    return number;
  }

  #number(node: ContentNode, known: Map<ContentNode, number>, describe: (node: ContentNode) => string) {
    const before = known.get(node);
    if (before !== undefined) return before;
    const text = `${this.#tag(node)}${describe(node)}`;
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    known.set(node, number);
    return number;
  }
}
