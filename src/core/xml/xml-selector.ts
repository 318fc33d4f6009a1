import { prefixOf, textValue, type XmlAttribute, type XmlElement, type XmlNode } from './xml-tree.ts';

/** What a selector of a patch may find: a node with its place, or an attribute of an element. */
export type Selected =
  | { readonly kind: 'node'; readonly node: XmlNode; readonly parent: XmlElement | undefined }
  | { readonly kind: 'attribute'; readonly attribute: XmlAttribute; readonly owner: XmlElement };

/**
 * Evaluates the XPath subset of RFC 5261 (§4.1, §8) but `id()`.
 * @param scope namespaces by prefix where the selector stands; a name without a prefix is in the default one
 *   (§4.2.1, other than in XPath itself)
 * @throws Error for anything that is not in the subset
 */
export function select(
  root: XmlElement,
  selector: string,
  scope: ReadonlyMap<string, string>,
): readonly Selected[] {
  let found: readonly Selected[] = [];
  const steps = splitSteps(selector.replace(/^\//, ''));
  for (const [index, step] of steps.entries()) {
    const contexts = index === 0 ? [undefined] : found;
    found = contexts.flatMap((context) => takeStep(root, context, step, scope));
  }
  return found;
}

function takeStep(
  root: XmlElement,
  context: Selected | undefined,
  step: string,
  scope: ReadonlyMap<string, string>,
): readonly Selected[] {
  const element = context?.kind === 'node' && context.node.kind === 'element' ? context.node : undefined;
  if (context !== undefined && !element) return [];
  const attribute = /^(?:@|attribute::)(.+)$/.exec(step)?.[1];
  const declaration = /^namespace::(.+)$/.exec(step)?.[1];
  if (attribute !== undefined || declaration !== undefined) {
    const wanted = (candidate: XmlAttribute, owner: XmlElement) =>
      attribute === undefined
        ? candidate.name === `xmlns:${declaration}`
        : sameAttribute(candidate.name, owner.scope, attribute, scope);
    return (
      element?.attributes
        .filter((candidate) => wanted(candidate, element))
        .map((found) => ({ kind: 'attribute', attribute: found, owner: element })) ?? []
    );
  }
  const [, test = '', predicates = ''] = /^([^[]+)((?:\[.*\])?)$/s.exec(step) ?? [];
  const matches = nodeTest(test, scope);
  const nodes = (element ? element.children : [root]).filter(matches);
  const kept = splitPredicates(predicates).reduce<readonly XmlNode[]>(
    (rest, predicate) => rest.filter(predicateTest(predicate, scope)),
    nodes,
  );
  return kept.map((node) => ({ kind: 'node', node, parent: element }));
}

function nodeTest(test: string, scope: ReadonlyMap<string, string>): (node: XmlNode) => boolean {
  if (test === 'text()') return ({ kind }) => kind === 'text';
  if (test === 'comment()') return ({ kind }) => kind === 'comment';
  const instruction = /^processing-instruction\((?:'([^']*)'|"([^"]*)")?\)$/.exec(test);
  if (instruction) {
    const target = instruction[1] ?? instruction[2];
    return (node) =>
      node.kind === 'instruction' && (target === undefined || /^<\?([^\s?]+)/.exec(node.raw)?.[1] === target);
  }
  if (test === '*') return ({ kind }) => kind === 'element';
  if (!/^[\w.:\-\u0080-\u{10ffff}]+$/u.test(test)) throw new Error(`the selector step ${test} is unknown`);
  return (node) => node.kind === 'element' && sameElement(node, test, scope);
}

function predicateTest(
  predicate: string,
  scope: ReadonlyMap<string, string>,
): (node: XmlNode, index: number) => boolean {
  if (/^\d+$/.test(predicate)) return (_, index) => index === Number(predicate) - 1;
  const [, subject = '', single, double] = /^([^=]+)=(?:'([^']*)'|"([^"]*)")$/s.exec(predicate) ?? [];
  const value = single ?? double;
  if (value === undefined) throw new Error(`the predicate ${predicate} is unknown`);
  if (subject === '.') return (node) => stringValue(node) === value;
  if (subject.startsWith('@')) {
    return (node) =>
      node.kind === 'element' &&
      node.attributes.some(
        (attribute) =>
          sameAttribute(attribute.name, node.scope, subject.slice(1), scope) &&
          textValue(attribute.value) === value,
      );
  }
  const matches = nodeTest(subject, scope);
  return (node) =>
    node.kind === 'element' && node.children.some((child) => matches(child) && stringValue(child) === value);
}

function sameElement(node: XmlElement, name: string, scope: ReadonlyMap<string, string>): boolean {
  return (
    localName(node.name) === localName(name) &&
    namespaceOf(node.name, node.scope) === namespaceOf(name, scope)
  );
}

/** An attribute without a prefix is in no namespace. */
function sameAttribute(
  name: string,
  scope: ReadonlyMap<string, string>,
  wanted: string,
  wantedScope: ReadonlyMap<string, string>,
): boolean {
  const prefixes = [prefixOf(name), prefixOf(wanted)];
  if (prefixes.includes('xmlns')) return name === wanted;
  if (prefixes.includes('')) return name === wanted;
  return (
    localName(name) === localName(wanted) && namespaceOf(name, scope) === namespaceOf(wanted, wantedScope)
  );
}

function namespaceOf(name: string, scope: ReadonlyMap<string, string>): string {
  const prefix = prefixOf(name);
  if (prefix === 'xml') return 'http://www.w3.org/XML/1998/namespace';
  const namespace = scope.get(prefix);
  if (namespace === undefined && prefix !== '') throw new Error(`the prefix ${prefix} is not declared`);
  return namespace ?? '';
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function stringValue(node: XmlNode): string {
  if (node.kind === 'text') return textValue(node.raw);
  if (node.kind !== 'element') return '';
  return node.children
    .filter(({ kind }) => kind === 'element' || kind === 'text')
    .map(stringValue)
    .join('');
}

/** Slashes and brackets within quotes are values. */
function splitSteps(selector: string): readonly string[] {
  return selector.match(/(?:[^/'"]|'[^']*'|"[^"]*")+/g) ?? [];
}

function splitPredicates(text: string): readonly string[] {
  return Array.from(text.matchAll(/\[((?:[^\]'"]|'[^']*'|"[^"]*")*)\]/g), ([, predicate = '']) => predicate);
}
