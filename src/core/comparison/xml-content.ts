import {
  declaredPrefix,
  isBlank,
  parseXmlTree,
  prefixOf,
  textValue,
  type XmlElement,
  type XmlNode,
} from '../xml/xml-tree.ts';
import { type ContentAttribute, type ContentNode, type ContentTree, collapse } from './content-node.ts';

const limits = { nodes: 100_000, depth: 256 };
const marks: ReadonlySet<string> = new Set(['ID', 'id', 'xml:id', 'rdf:about', 'rdf:ID']);

/** @returns undefined for what `parseXmlTree` does not read, or is too large to be compared */
export function readXmlContent(bytes: Uint8Array): ContentTree | undefined {
  const document = parseXmlTree(bytes, limits);
  if (!document) return undefined;
  const comments: string[] = Array.from(
    `${document.prolog}${document.epilog}`.matchAll(/<!--[\s\S]*?-->|<\?(?!xml\s)[\s\S]*?\?>/g),
    ([text]) => text,
  );
  return { language: 'xml', root: toNode(document.root, comments), comments };
}

function toNode(element: XmlElement, comments: string[]): ContentNode {
  const { name, scope, children } = element;
  const hasElements = children.some(({ kind }) => kind === 'element');
  const texts = children.flatMap((child) => (child.kind === 'text' ? child.raw : []));
  for (const child of children) {
    if (child.kind === 'comment' || child.kind === 'instruction') comments.push(child.raw);
  }
  const isText = (child: XmlNode) => child.kind === 'text' && !isBlank(child.raw);
  const isMixed = hasElements && children.some(isText);
  const attributes = readAttributes(element);
  const parts = hasElements
    ? children.flatMap((child) => {
        if (child.kind === 'element') return toNode(child, comments);
        return isText(child) && child.kind === 'text' ? toText(textValue(child.raw)) : [];
      })
    : [];
  return {
    name: expandedName(name, scope, scope.get('')),
    label: name,
    value: hasElements ? undefined : textValue(texts.join('')),
    attributes,
    children: parts,
    space: hasElements && !isMixed ? texts.join('\0') : '',
    mark: attributes.find(({ label }) => marks.has(label))?.value,
    summary: () => summaryOf(element),
  };
}

function toText(value: string): ContentNode {
  const summary = () => value;
  return { name: '#text', label: 'text()', value, attributes: [], children: [], space: '', summary };
}

function readAttributes({ attributes, scope }: XmlElement): readonly ContentAttribute[] {
  const own = attributes.filter(({ name }) => declaredPrefix(name) === undefined);
  return own
    .map(({ name, value }) => ({
      name: expandedName(name, scope, undefined),
      label: name,
      value: textValue(value),
    }))
    .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
}

/** An attribute without a prefix is in no namespace, whatever the default one is. */
function expandedName(
  name: string,
  scope: ReadonlyMap<string, string>,
  byDefault: string | undefined,
): string {
  const prefix = prefixOf(name);
  if (prefix === 'xml') return name;
  const namespace = prefix === '' ? byDefault : scope.get(prefix);
  return namespace ? `{${namespace}}${name.slice(prefix === '' ? 0 : prefix.length + 1)}` : name;
}

/** As much of it as anybody would read. */
const summaryLength = 2000;

function summaryOf(element: XmlElement): string {
  let text = '';
  const gather = (node: XmlNode): void => {
    if (text.length > summaryLength) return;
    if (node.kind === 'text') text += ` ${textValue(node.raw)}`;
    else if (node.kind === 'element') for (const child of node.children) gather(child);
  };
  gather(element);
  return collapse(text);
}
