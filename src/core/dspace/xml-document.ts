import { create } from 'xmlbuilder2';

const xsi = 'http://www.w3.org/2001/XMLSchema-instance';
const xmlns = 'http://www.w3.org/2000/xmlns/';

/** What a crosswalk's root needs to be: the same for every item. */
export interface DocumentRoot {
  /** With its prefix: `dim:dim`. */
  readonly name: string;
  /** The first one is the root's own, by its prefix. */
  readonly namespaces: readonly (readonly [prefix: string, uri: string])[];
  /** Pairs of namespace and schema. */
  readonly schemaLocation: string;
}

/** A document of one level: elements with text in a root. */
export interface FlatDocument {
  /** @param elements as of `renderElement`, in order */
  render(elements: readonly string[]): string;
}

/**
 * xmlbuilder2 writes the root, once; the elements are put together as text, because a DOM of a few dozen costs 0.3 ms
 * and there are hundreds of thousands of documents. A property test holds both to the same bytes.
 */
export function flatDocument(root: DocumentRoot): FlatDocument {
  const [own] = root.namespaces;
  const element = create({ version: '1.0', encoding: 'UTF-8' }).ele(own?.[1] ?? '', root.name);
  for (const [prefix, uri] of root.namespaces.slice(1)) element.att(xmlns, `xmlns:${prefix}`, uri);
  element.att(xsi, 'xsi:schemaLocation', root.schemaLocation);
  const empty = `${element.end({ prettyPrint: true })}\n`;
  const head = `${empty.slice(0, empty.lastIndexOf('/>'))}>\n`;
  const tail = `</${root.name}>\n`;
  return {
    render: (elements) => (elements.length === 0 ? empty : `${head}${elements.join('')}${tail}`),
  };
}

/**
 * One element with its text, on a line of its own.
 * @param attributes in order; undefined ones are left out
 */
export function renderElement(
  name: string,
  attributes: readonly (readonly [name: string, value: string | undefined])[],
  text: string,
): string {
  let tag = `  <${name}`;
  for (const [key, value] of attributes) {
    if (value !== undefined) tag += ` ${key}="${escapeAttribute(value)}"`;
  }
  const content = escapeText(text);
  return content === '' ? `${tag}/>\n` : `${tag}>${content}</${name}>\n`;
}

/** Everything but printable ASCII without markup; nearly every value passes this one test. */
const notPlain = /[^ !#-%'-;=?-~]/;
const illegal = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * A value as XML 1.0 can carry it: what it cannot (control characters, half surrogate pairs) is left out, and line
 * ends are what a parser would make of them.
 */
export function legalText(value: string): string {
  return notPlain.test(value) ? value.replace(illegal, '').replace(/\r\n?/g, '\n') : value;
}

/** The same for an attribute, where a parser knows no line ends. */
export function legalAttribute(value: string): string {
  return notPlain.test(value) ? legalText(value).replace(/[\t\n]/g, ' ') : value;
}

export function escapeText(value: string): string {
  return notPlain.test(value) ? escapeMarkup(legalText(value)) : value;
}

export function escapeAttribute(value: string): string {
  return notPlain.test(value) ? escapeMarkup(legalAttribute(value)).replace(/"/g, '&quot;') : value;
}

function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
