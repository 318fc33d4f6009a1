import type { SaxesTagNS } from 'saxes';
import { xsiNamespace } from './namespaces.ts';

/**
 * Which namespaces a payload uses without declaring them itself: they were declared around it (quirks 84, 86)
 * and have to come along when it is cut out. Told of every tag of the payload, its root included.
 */
export class NamespaceUse {
  readonly #resolve: (prefix: string) => string | undefined;
  /** How many open elements of the payload declare the prefix. */
  readonly #declared = new Map<string, number>();
  readonly #missing = new Map<string, string>();

  constructor(resolve: (prefix: string) => string | undefined) {
    this.#resolve = resolve;
  }

  open(tag: SaxesTagNS): void {
    for (const prefix in tag.ns) this.#declared.set(prefix, (this.#declared.get(prefix) ?? 0) + 1);
    this.#use(tag.prefix, tag.uri);
    for (const name in tag.attributes) {
      const attribute = tag.attributes[name];
      if (attribute === undefined || attribute.prefix === '' || attribute.prefix === 'xmlns') continue;
      this.#use(attribute.prefix, attribute.uri);
      // A QName in content; without it a validator cannot find the type.
      if (attribute.local === 'type' && attribute.uri === xsiNamespace) this.#useType(attribute.value);
    }
  }

  close(tag: SaxesTagNS): void {
    for (const prefix in tag.ns) this.#declared.set(prefix, (this.#declared.get(prefix) ?? 1) - 1);
  }

  /** Prefix (empty: the default namespace) to URI. */
  get missing(): ReadonlyMap<string, string> {
    return this.#missing;
  }

  #use(prefix: string, uri: string): void {
    if (prefix === 'xml' || (this.#declared.get(prefix) ?? 0) > 0 || this.#missing.has(prefix)) return;
    // No prefix and no default namespace: nothing to bring along.
    if (uri !== '') this.#missing.set(prefix, uri);
  }

  #useType(value: string): void {
    const name = value.trim();
    const prefix = name.includes(':') ? name.slice(0, name.indexOf(':')) : '';
    if (prefix === 'xml' || (this.#declared.get(prefix) ?? 0) > 0 || this.#missing.has(prefix)) return;
    const uri = this.#resolve(prefix);
    if (uri !== undefined) this.#use(prefix, uri);
  }
}

/** Inserts the declarations behind the root's name; nothing else of the document changes. */
export function withNamespaces(
  document: string,
  rootName: string,
  missing: ReadonlyMap<string, string>,
): string {
  if (missing.size === 0) return document;
  let declarations = '';
  for (const [prefix, uri] of missing) {
    declarations += ` xmlns${prefix === '' ? '' : `:${prefix}`}="${escapeAttribute(uri)}"`;
  }
  const behindName = 1 + rootName.length;
  return document.slice(0, behindName) + declarations + document.slice(behindName);
}

function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
