import { xsiNamespace } from '../namespaces/namespaces.ts';

/** Prefix (empty: the default namespace) to URI, as one tag declares them. */
export type Declarations = Readonly<Record<string, string>>;

const name = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?';
const value = '"[^"<]*"|\'[^\'<]*\'';
const startTag = new RegExp(`<(${name})((?:[ \\t\\r\\n]+${name}=(?:${value}))*)[ \\t\\r\\n]*(/?)>`, 'y');
const attribute = new RegExp(`(${name})=(${value})`, 'g');
const deepest = 100;
const mostAttributes = 100;
/** Reserved, or in need of a closer look. */
const odd = /^xml(?:ns)?$|[\s&]|^$/i;

const reserved = new Set(['http://www.w3.org/XML/1998/namespace', 'http://www.w3.org/2000/xmlns/']);

interface OpenElement {
  readonly name: string;
  readonly declared: Declarations | undefined;
}

/**
 * A payload of plain elements, attributes and text, tag by tag, that declares each prefix it uses. Whatever else there is
 * in XML is not judged here: it is unusual, and for the strict parser.
 */
export class PlainPayload {
  readonly #open: OpenElement[] = [];
  readonly declarations: Declarations[] = [];
  /** Of the root. */
  namespace = '';

  get isOver(): boolean {
    return this.#open.length === 0;
  }

  /**
   * @param at where a tag begins that has its `>`
   * @returns where it ends; 0: it is unusual
   */
  read(text: string, at: number): number {
    if (text.charCodeAt(at + 1) === slash) return this.#close(text, at);
    startTag.lastIndex = at;
    const match = startTag.exec(text);
    if (match === null) return 0;
    const [, tag = '', attributes = '', end = ''] = match;
    const isRoot = this.#open.length === 0;
    if (!this.#start(tag, attributes)) return 0;
    if (isRoot) this.namespace = this.#resolve(prefixOf(tag)) ?? '';
    if (end !== '') this.#open.pop();
    return startTag.lastIndex;
  }

  #close(text: string, at: number): number {
    const tag = this.#open.pop()?.name;
    if (tag === undefined || !text.startsWith(tag, at + 2)) return 0;
    const end = at + 2 + tag.length;
    return text.charCodeAt(end) === greater ? end + 1 : 0;
  }

  #start(tag: string, attributes: string): boolean {
    if (this.#open.length >= deepest) return false;
    const found = attributesOf(attributes);
    if (found === undefined) return false;
    const { declared, others } = found;
    this.#open.push({ name: tag, declared });
    if (declared) this.declarations.push(declared);
    const prefix = prefixOf(tag);
    if (prefix === 'xml' || this.#resolve(prefix) === undefined) return false;
    return others.every(([attributeName, content]) => this.#isKnown(attributeName, content));
  }

  #isKnown(attributeName: string, content: string): boolean {
    const prefix = prefixOf(attributeName);
    if (prefix === '' || prefix === 'xml') return true;
    const uri = this.#resolve(prefix);
    if (uri === undefined) return false;
    // A QName in content.
    const isType = uri === xsiNamespace && attributeName.endsWith(':type');
    return !isType || this.#resolve(prefixOf(content.trim())) !== undefined;
  }

  #resolve(prefix: string): string | undefined {
    for (let at = this.#open.length - 1; at >= 0; at -= 1) {
      const uri = this.#open[at]?.declared?.[prefix];
      if (uri !== undefined) return uri;
    }
    return undefined;
  }
}

const slash = 0x2f;
const greater = 0x3e;

interface Attributes {
  readonly declared: Declarations | undefined;
  readonly others: readonly (readonly [string, string])[];
}

const noAttributes: Attributes = { declared: undefined, others: [] };
/** Those with declarations that came last: the roots of all records of a list say the same. */
let lastDeclared: { readonly text: string; readonly attributes: Attributes } | undefined;

/** @returns undefined where they are unusual, among them two that may be one */
function attributesOf(text: string): Attributes | undefined {
  if (text === '') return noAttributes;
  if (lastDeclared?.text === text) return lastDeclared.attributes;
  if (!text.includes('xmlns') || text.length > longestKept) return readAttributes(text);
  // A copy: a slice would keep the whole chunk in memory.
  const copy = Buffer.from(text, 'utf8').toString('utf8');
  const attributes = readAttributes(copy);
  if (attributes) lastDeclared = { text: copy, attributes };
  return attributes;
}

/** More is no root of a usual record. */
const longestKept = 4_096;

function readAttributes(text: string): Attributes | undefined {
  const locals = new Set<string>();
  const others: [string, string][] = [];
  let declared: Record<string, string> | undefined;
  for (const [, attributeName = '', quoted = ''] of text.matchAll(attribute)) {
    const content = quoted.slice(1, -1);
    const prefix = prefixOf(attributeName);
    const local = attributeName.slice(prefix === '' ? 0 : prefix.length + 1);
    const key = prefix === 'xmlns' ? attributeName : prefix === '' ? `:${local}` : local;
    if (locals.has(key) || locals.size >= mostAttributes) return undefined;
    locals.add(key);
    const isDefault = attributeName === 'xmlns';
    if (!isDefault && prefix !== 'xmlns') {
      others.push([attributeName, content]);
      continue;
    }
    if (odd.test(content) || reserved.has(content) || (!isDefault && odd.test(local))) return undefined;
    declared ??= Object.create(null) as Record<string, string>;
    declared[isDefault ? '' : local] = content;
  }
  return { declared, others };
}

function prefixOf(qualified: string): string {
  const colon = qualified.indexOf(':');
  return colon < 0 ? '' : qualified.slice(0, colon);
}
