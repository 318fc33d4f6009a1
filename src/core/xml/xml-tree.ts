import { SaxesParser } from 'saxes';

/**
 * An XML document that gives back its own bytes: every node keeps the text it was written as. For documents
 * without a DTD, in UTF-8, which is all that we patch.
 */
export interface XmlDocument {
  /** Everything before the root element, and after it. */
  readonly prolog: string;
  readonly root: XmlElement;
  readonly epilog: string;
}

export type XmlNode = XmlElement | XmlText | XmlComment | XmlInstruction;

export interface XmlElement {
  readonly kind: 'element';
  /** As written, with its prefix. */
  readonly name: string;
  readonly attributes: XmlAttribute[];
  /** `>` or `/>`, with the space before it. */
  tagEnd: string;
  /** Empty after `/>`. */
  closing: string;
  readonly children: XmlNode[];
  /** Namespaces by prefix, `` for the default; an absent one is none. */
  readonly scope: ReadonlyMap<string, string>;
}

export interface XmlAttribute {
  readonly name: string;
  /** What stands before the name, and between it and the value. */
  readonly space: string;
  readonly equals: string;
  readonly quote: string;
  /** As written between the quotes. */
  value: string;
}

/** Text with its references and CDATA sections; two texts never stand side by side. */
export interface XmlText {
  readonly kind: 'text';
  raw: string;
}

export interface XmlComment {
  readonly kind: 'comment';
  readonly raw: string;
}

export interface XmlInstruction {
  readonly kind: 'instruction';
  readonly raw: string;
}

export interface TreeLimits {
  readonly nodes: number;
  readonly depth: number;
}

/** @returns undefined for what is not well-formed, has a DTD, is not in UTF-8, or is beyond the limits */
export function parseXmlTree(bytes: Uint8Array, limits: TreeLimits): XmlDocument | undefined {
  const text = decode(bytes);
  return text !== undefined && isPlainXml(text) ? new TreeReader(text, limits).read() : undefined;
}

export function serializeXmlTree({ prolog, root, epilog }: XmlDocument): string {
  return prolog + serializeNode(root) + epilog;
}

function serializeNode(node: XmlNode): string {
  if (node.kind !== 'element') return node.raw;
  return openingTag(node) + serializeNodes(node.children) + node.closing;
}

export function serializeNodes(nodes: readonly XmlNode[]): string {
  return nodes.map(serializeNode).join('');
}

export function openingTag({ name, attributes, tagEnd }: XmlElement): string {
  return `<${name}${attributes.map(serializeAttribute).join('')}${tagEnd}`;
}

function serializeAttribute({ space, name, equals, quote, value }: XmlAttribute): string {
  return space + name + equals + quote + value + quote;
}

/** The namespace prefix that an attribute declares, `` for the default; undefined for other attributes. */
export function declaredPrefix(attribute: string): string | undefined {
  if (attribute === 'xmlns') return '';
  return attribute.startsWith('xmlns:') ? attribute.slice('xmlns:'.length) : undefined;
}

export function prefixOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(':')));
}

/** White space as XML knows it, and some. */
export function isBlank(text: string): boolean {
  return /^[ \t\r\n]+$/.test(text);
}

/** Text or an attribute's value as it is meant: references resolved, CDATA sections opened. */
export function textValue(raw: string): string {
  return raw.replace(/<!\[CDATA\[([\s\S]*?)\]\]>|&(#x?)?([^;]+);/g, (_, cdata, number, name) => {
    if (cdata !== undefined) return cdata;
    if (number === undefined) return predefined[name] ?? '';
    return String.fromCodePoint(Number.parseInt(name, number === '#' ? 10 : 16));
  });
}

const predefined: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isPlainXml(text: string): boolean {
  const parser = new SaxesParser({ xmlns: true });
  let plain = true;
  parser.on('doctype', () => {
    plain = false;
  });
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^utf-8$/i.test(encoding)) plain = false;
  });
  try {
    parser.write(text).close();
    return plain;
  } catch {
    return false;
  }
}

/** Reads what is known to be well-formed: a bracket outside of a tag begins one, and every quote is closed. */
class TreeReader {
  readonly #text: string;
  readonly #limits: TreeLimits;
  #at = 0;
  #nodes = 0;

  constructor(text: string, limits: TreeLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  read(): XmlDocument | undefined {
    while (/^<[?!]|^[^<]/.test(this.#text.slice(this.#at, this.#at + 2))) this.#at = this.#tokenEnd();
    const prolog = this.#text.slice(0, this.#at);
    const root = this.#readElement(new Map(), 1);
    return root && { prolog, root, epilog: this.#text.slice(this.#at) };
  }

  #readElement(outer: ReadonlyMap<string, string>, depth: number): XmlElement | undefined {
    if (depth > this.#limits.depth || ++this.#nodes > this.#limits.nodes) return undefined;
    const tag = this.#take();
    const name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
    const tagEnd = /\s*\/?>$/.exec(tag)?.[0] ?? '>';
    const attributes = readAttributes(tag.slice(1 + name.length, -tagEnd.length));
    const scope = extendScope(outer, attributes);
    const children: XmlNode[] = [];
    const element = { kind: 'element', name, attributes, tagEnd, closing: '', children, scope } as const;
    if (tagEnd.endsWith('/>')) return element;
    while (!this.#text.startsWith('</', this.#at)) {
      const node = this.#readNode(scope, depth);
      if (!node) return undefined;
      const last = children.at(-1);
      if (node.kind === 'text' && last?.kind === 'text') last.raw += node.raw;
      else children.push(node);
    }
    return { ...element, closing: this.#take() };
  }

  #readNode(scope: ReadonlyMap<string, string>, depth: number): XmlNode | undefined {
    const next = this.#text.slice(this.#at, this.#at + 9);
    if (!next.startsWith('<') || next === '<![CDATA[') return { kind: 'text', raw: this.#take() };
    if (!/^<[?!]/.test(next)) return this.#readElement(scope, depth + 1);
    this.#nodes += 1;
    return { kind: next.startsWith('<?') ? 'instruction' : 'comment', raw: this.#take() };
  }

  #take(): string {
    const start = this.#at;
    this.#at = this.#tokenEnd();
    return this.#text.slice(start, this.#at);
  }

  #tokenEnd(): number {
    const behind = (end: string, from = this.#at) => {
      const found = this.#text.indexOf(end, from);
      return found < 0 ? this.#text.length : found + end.length;
    };
    if (this.#text[this.#at] !== '<') {
      const tag = this.#text.indexOf('<', this.#at);
      return tag < 0 ? this.#text.length : tag;
    }
    if (this.#text.startsWith('<!--', this.#at)) return behind('-->');
    if (this.#text.startsWith('<![CDATA[', this.#at)) return behind(']]>');
    if (this.#text.startsWith('<?', this.#at)) return behind('?>');
    for (let at = this.#at; at < this.#text.length; at += 1) {
      const character = this.#text[at];
      if (character === '>') return at + 1;
      if (character === '"' || character === "'") at = behind(character, at + 1) - 1;
    }
    return this.#text.length;
  }
}

function readAttributes(text: string): XmlAttribute[] {
  const found = text.matchAll(/(\s+)([^\s=]+)(\s*=\s*)(?:"([^"]*)"|'([^']*)')/g);
  return Array.from(found, ([, space = '', name = '', equals = '', double, single = '']) => ({
    space,
    name,
    equals,
    quote: double === undefined ? "'" : '"',
    value: double ?? single,
  }));
}

function extendScope(
  outer: ReadonlyMap<string, string>,
  attributes: readonly XmlAttribute[],
): ReadonlyMap<string, string> {
  const declared = attributes.flatMap(({ name, value }) => {
    const prefix = declaredPrefix(name);
    return prefix === undefined ? [] : [[prefix, textValue(value)] as const];
  });
  return declared.length === 0 ? outer : new Map([...outer, ...declared]);
}
