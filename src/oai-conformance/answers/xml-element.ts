import { type SaxesAttributeNS, SaxesParser } from 'saxes';

/** An element with everything in it, as namespaces make it out. */
export interface XmlElement {
  /** As written, with its prefix. */
  readonly name: string;
  readonly local: string;
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: XmlElement[];
  /** Its own text, without that of its children. */
  text: string;
}

export interface XmlAttribute {
  readonly name: string;
  readonly local: string;
  readonly namespace: string;
  readonly value: string;
}

export interface XmlText {
  readonly root: XmlElement;
  /** What the XML declaration says; undefined: there is none. */
  readonly declaration: { readonly version: string; readonly encoding: string | undefined } | undefined;
  readonly hasDoctype: boolean;
}

/** What is no XML, and where. */
export class NotXml extends Error {}

/** What may be XML, and is not read to its end. */
export class TooMuchXml extends Error {}

const maximumDepth = 200;
/** Elements and attributes: a page of 500 full records has a quarter of that. */
const maximumNodes = 400_000;

/** Reads a document as it is: nothing is mended. @throws NotXml, TooMuchXml */
export function readXml(text: string): XmlText {
  const parser = new SaxesParser({ xmlns: true });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let declaration: XmlText['declaration'];
  let hasDoctype = false;
  let nodes = 0;
  parser.on('xmldecl', ({ version = '', encoding }) => {
    declaration = { version, encoding };
  });
  parser.on('doctype', () => {
    hasDoctype = true;
  });
  parser.on('opentag', (tag) => {
    if (open.length >= maximumDepth)
      throw new TooMuchXml(`its elements are nested more than ${maximumDepth} deep`);
    const attributes = Object.values(tag.attributes).map(readAttribute);
    nodes += 1 + attributes.length;
    if (nodes > maximumNodes)
      throw new TooMuchXml(`it has more than ${maximumNodes} elements and attributes`);
    const element: XmlElement = {
      name: tag.name,
      local: tag.local,
      namespace: tag.uri,
      attributes,
      children: [],
      text: '',
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  const add = (piece: string) => {
    const element = open.at(-1);
    if (element) element.text += piece;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => {
    open.pop();
  });
  try {
    parser.write(text).close();
  } catch (error) {
    // saxes throws errors without a class of their own.
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
    throw new NotXml(error.message.slice(0, 200), { cause: error });
  }
  if (!root) throw new NotXml('it is empty');
  return { root, declaration, hasDoctype };
}

function readAttribute({ name, local, uri, value }: SaxesAttributeNS): XmlAttribute {
  return { name, local, namespace: uri, value };
}

/** Of a name that has no prefix, or of `xml:lang` and the like by its namespace. */
export function attributeOf(element: XmlElement, local: string, namespace = ''): string | undefined {
  return element.attributes.find((one) => one.local === local && one.namespace === namespace)?.value;
}

export function childrenOf(element: XmlElement | undefined, local: string): readonly XmlElement[] {
  return element?.children.filter((one) => one.local === local) ?? [];
}

export function childOf(element: XmlElement | undefined, local: string): XmlElement | undefined {
  return element?.children.find((one) => one.local === local);
}

/** Of the first child of this name, without blanks around it; empty where there is none. */
export function textOf(element: XmlElement | undefined, local: string): string {
  return childOf(element, local)?.text.trim() ?? '';
}

/** Every element below, itself included. */
export function* descendants(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* descendants(child);
}
