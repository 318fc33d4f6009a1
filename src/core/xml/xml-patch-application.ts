import { freePrefixes } from './xml-operation.ts';
import { type Selected, select } from './xml-selector.ts';
import { isBlank, serializeNodes, textValue, type XmlElement, type XmlNode } from './xml-tree.ts';

/**
 * Carries out one operation of a patch (RFC 5261 §4.3–4.5) on a tree. What it does not touch stays as it was
 * written, and what it puts in comes as the patch has it written.
 * @throws Error when the operation does not fit the tree (§5)
 */
export function applyOperation(root: XmlElement, operation: XmlElement): void {
  const selector = attributeOf(operation, 'sel') ?? '';
  const found = select(root, selector, operation.scope);
  const [selected] = found;
  if (!selected || found.length > 1) throw new Error(`${selector} selects ${found.length} nodes, not one`);
  switch (operation.name.slice(operation.name.indexOf(':') + 1)) {
    case 'add':
      add(selected, operation);
      break;
    case 'replace':
      replace(selected, operation);
      break;
    case 'remove':
      remove(selected, attributeOf(operation, 'ws'));
      break;
    default:
      throw new Error(`${operation.name} is no operation`);
  }
}

function add(selected: Selected, operation: XmlElement): void {
  if (selected.kind === 'attribute') throw new Error('an attribute has no place for more');
  const type = attributeOf(operation, 'type');
  if (type === undefined) addNodes(selected, operation);
  else addAttribute(selected.node, type, operation);
}

function addNodes({ node, parent }: Selected & { readonly kind: 'node' }, operation: XmlElement): void {
  const position = attributeOf(operation, 'pos');
  const place = position === 'before' || position === 'after' ? parent : node;
  if (place?.kind !== 'element') throw new Error(`nothing can be put ${position ?? 'into'} what is selected`);
  const at = {
    before: place.children.indexOf(node),
    after: place.children.indexOf(node) + 1,
    prepend: 0,
    append: place.children.length,
  }[position ?? 'append'];
  if (at === undefined) throw new Error(`the position ${position} is unknown`);
  insert(place, at, 0, adopt(place.scope, operation.children));
}

function addAttribute(node: XmlNode, type: string, operation: XmlElement): void {
  if (node.kind !== 'element') throw new Error('only elements have attributes');
  const prefix = /^namespace::(.+)$/.exec(type)?.[1];
  const name = prefix === undefined ? type.replace(/^@|^attribute::/, '') : `xmlns:${prefix}`;
  if (node.attributes.some((attribute) => attribute.name === name))
    throw new Error(`${name} is there already`);
  node.attributes.push({ name, space: ' ', equals: '=', quote: '"', value: valueFor('"', operation) });
}

function replace(selected: Selected, operation: XmlElement): void {
  if (selected.kind === 'attribute') {
    selected.attribute.value = valueFor(selected.attribute.quote, operation);
    return;
  }
  const { node, parent } = selected;
  if (node.kind === 'text') {
    const content = operation.children.every(({ kind }) => kind === 'text');
    if (!parent || !content) throw new Error('only text takes the place of text');
    insert(parent, parent.children.indexOf(node), 1, [...operation.children]);
    return;
  }
  const content = operation.children.filter((child) => child.kind !== 'text' || !isBlank(child.raw));
  const [single] = content;
  if (content.length !== 1 || single?.kind !== node.kind)
    throw new Error('another kind of node comes instead');
  if (!parent) throw new Error('the whole document is not to be replaced');
  insert(parent, parent.children.indexOf(node), 1, adopt(parent.scope, [single]));
}

function remove(selected: Selected, space: string | undefined): void {
  if (selected.kind === 'attribute') {
    const { attributes } = selected.owner;
    attributes.splice(attributes.indexOf(selected.attribute), 1);
    return;
  }
  const { node, parent } = selected;
  if (!parent) throw new Error('the root element stays');
  let start = parent.children.indexOf(node);
  let end = start + 1;
  if (space === 'before' || space === 'both') start -= blankAt(parent, start - 1);
  if (space === 'after' || space === 'both') end += blankAt(parent, end);
  insert(parent, start, end - start, []);
}

function blankAt({ children }: XmlElement, index: number): 1 {
  const node = children[index];
  if (node?.kind !== 'text' || !isBlank(node.raw)) throw new Error('there is no white space beside it');
  return 1;
}

/** Texts that come together become one (§4.5). */
function insert(parent: XmlElement, at: number, removed: number, content: readonly XmlNode[]): void {
  if (content.length > 0 && parent.closing === '') {
    parent.tagEnd = '>';
    parent.closing = `</${parent.name}>`;
  }
  const nodes = [...parent.children.slice(0, at), ...content, ...parent.children.slice(at + removed)];
  parent.children.length = 0;
  for (const node of nodes) {
    const last = parent.children.at(-1);
    if (node.kind === 'text' && last?.kind === 'text') last.raw += node.raw;
    else parent.children.push(node);
  }
}

/** Names keep their namespaces: what the new surroundings do not declare the same, an element brings along. */
function adopt(scope: ReadonlyMap<string, string>, nodes: readonly XmlNode[]): readonly XmlNode[] {
  return nodes.map((node) => {
    if (node.kind !== 'element') return node;
    const missing = [...freePrefixes([node])]
      .filter(([prefix, namespace]) => (scope.get(prefix) ?? '') !== namespace)
      .map(([prefix, namespace]) => ({
        name: prefix === '' ? 'xmlns' : `xmlns:${prefix}`,
        space: ' ',
        equals: '=',
        quote: '"',
        value: namespace.replace(/[&<"]/g, (character) => `&#${character.charCodeAt(0)};`),
      }));
    return missing.length === 0 ? node : { ...node, attributes: [...node.attributes, ...missing] };
  });
}

function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  const found = attributes.find((attribute) => attribute.name === name);
  return found && textValue(found.value);
}

/** Content of an operation as the value of an attribute between these quotes. */
function valueFor(quote: string, operation: XmlElement): string {
  if (operation.children.some(({ kind }) => kind !== 'text'))
    throw new Error('an attribute holds text alone');
  const raw = serializeNodes(operation.children);
  const opened = raw.includes('<')
    ? textValue(raw).replace(/[&<]/g, (c) => (c === '&' ? '&amp;' : '&lt;'))
    : raw;
  return opened.replaceAll(quote, quote === '"' ? '&quot;' : '&apos;');
}
