import { escapeAttribute, escapeText } from '../dspace/xml-document.ts';

/** An element of a document with more than one level. */
export interface Element {
  readonly name: string;
  readonly attributes: Attributes;
  readonly content: string | readonly Element[];
}

/** Undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | undefined>>;

export function element(name: string, content: Element['content'], attributes: Attributes = {}): Element {
  return { name, attributes, content };
}

/** Its lines, below the root. */
export function renderTree({ name, attributes, content }: Element, indent = '  '): string {
  let tag = `${indent}<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) tag += ` ${key}="${escapeAttribute(value)}"`;
  }
  if (typeof content === 'string') {
    const text = escapeText(content);
    return text === '' ? `${tag}/>\n` : `${tag}>${text}</${name}>\n`;
  }
  const inner = content.map((one) => renderTree(one, `${indent}  `)).join('');
  return inner === '' ? `${tag}/>\n` : `${tag}>\n${inner}${indent}</${name}>\n`;
}
