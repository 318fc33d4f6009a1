/**
 * A payload as a tree of named things with values: what XML and JSON have in common, for telling people what changed.
 * The same content is the same tree, whatever prefixes, quotes and line breaks it is written with.
 */
export interface ContentNode {
  /** The same in every document: `{namespace}title`, the key of a member, `` for a place in an array. */
  readonly name: string;
  /** As a path shows it: `dc:title`. */
  readonly label: string;
  /** Of a leaf: text in XML, a literal in JSON. */
  readonly value?: string | undefined;
  /** By name. */
  readonly attributes: readonly ContentAttribute[];
  readonly children: readonly ContentNode[];
  /** White space between the children, which means nothing. */
  readonly space: string;
  /** What tells it from others of its name for good: an `ID`, a `uuid`. */
  readonly mark?: string | undefined;
  /** All that it holds in one text. */
  summary(): string;
}

export interface ContentAttribute {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

export interface ContentTree {
  readonly language: 'xml' | 'json';
  readonly root: ContentNode;
  /** Comments and processing instructions: they say nothing about what is described. */
  readonly comments: readonly string[];
}

/** White space does not count: `a  b` is `a b`. */
export function collapse(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** Name and attributes; equal ones are written with the same tag. */
export function tagOf({ name, attributes }: ContentNode): string {
  return [name, ...attributes.map((attribute) => `${attribute.name}\0${attribute.value}`)].join('\0\0');
}

/** Nodes of a subtree, itself included. */
export function countNodes(node: ContentNode): number {
  return node.children.reduce((sum, child) => sum + countNodes(child), 1);
}
