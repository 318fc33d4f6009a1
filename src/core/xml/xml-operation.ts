import { declaredPrefix, prefixOf, serializeNodes, type XmlNode } from './xml-tree.ts';

/** One operation of a patch (RFC 5261), before it is written. */
export interface XmlOperation {
  readonly name: 'add' | 'replace' | 'remove';
  /** `sel`, then `pos`, `type` or `ws`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** As written in the new document. */
  readonly content: string;
  /** What the prefixes in it, and in the selector, have to mean. */
  readonly namespaces: ReadonlyMap<string, string>;
}

export function operation(
  name: XmlOperation['name'],
  attributes: Readonly<Record<string, string>>,
  content: readonly XmlNode[] = [],
): XmlOperation {
  return { name, attributes, content: serializeNodes(content), namespaces: freePrefixes(content) };
}

/** About how many characters these take in a patch. */
export function sizeOf(operations: readonly XmlOperation[]): number {
  return operations.reduce(
    (sum, { attributes, content }) => sum + Object.values(attributes).join().length + content.length + 30,
    0,
  );
}

/** The prefixes that elements use without declaring them, with what they mean where the elements stand. */
export function freePrefixes(nodes: readonly XmlNode[]): ReadonlyMap<string, string> {
  const free = new Map<string, string>();
  const visit = (node: XmlNode, declared: ReadonlySet<string>) => {
    if (node.kind !== 'element') return;
    const own = node.attributes.flatMap(({ name }) => declaredPrefix(name) ?? []);
    const known = own.length === 0 ? declared : new Set([...declared, ...own]);
    const plain = node.attributes.filter(({ name }) => declaredPrefix(name) === undefined);
    const prefixed = plain.map(({ name }) => prefixOf(name)).filter((prefix) => prefix !== '');
    for (const prefix of [prefixOf(node.name), ...prefixed]) {
      if (prefix !== 'xml' && !known.has(prefix)) free.set(prefix, node.scope.get(prefix) ?? '');
    }
    for (const child of node.children) visit(child, known);
  };
  for (const node of nodes) visit(node, new Set());
  return free;
}
