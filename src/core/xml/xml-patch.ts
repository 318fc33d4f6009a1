import { compareElements } from './xml-difference.ts';
import type { XmlOperation } from './xml-operation.ts';
import { applyOperation } from './xml-patch-application.ts';
import { parseXmlTree, serializeXmlTree, type TreeLimits } from './xml-tree.ts';

/** RFC 7351 §3. */
export const xmlPatchType = 'application/xml-patch+xml';

const patchNamespace = 'urn:ietf:rfc:7351';
const limits: TreeLimits = { nodes: 50_000, depth: 400 };
const maximumBytes = 5_000_000;

/**
 * An XML patch (RFC 5261, as the document that RFC 7351 makes of it) that turns `before` into `after`, byte for
 * byte: it was applied to see. Pure.
 * @returns undefined where there is none, it would not be smaller than `after`, or finding it costs too much
 */
export function diffXml(before: Uint8Array, after: Uint8Array): Uint8Array | undefined {
  if (before.byteLength > maximumBytes || after.byteLength > maximumBytes) return undefined;
  // A parser would make it a line feed: what comes out would depend on who applies the patch.
  if (after.includes(carriageReturn)) return undefined;
  const [old, now] = [parseXmlTree(before, limits), parseXmlTree(after, limits)];
  if (!old || !now || old.prolog !== now.prolog || old.epilog !== now.epilog) return undefined;
  const operations = compareElements(old.root, now.root);
  if (!operations || operations.length === 0) return undefined;
  const patch = Buffer.from(renderPatch(operations), 'utf8');
  if (patch.byteLength >= after.byteLength) return undefined;
  return yields(before, patch, after) ? patch : undefined;
}

const carriageReturn = 0x0d;

function yields(before: Uint8Array, patch: Uint8Array, after: Uint8Array): boolean {
  try {
    return Buffer.from(applyXmlPatch(before, patch)).equals(after);
  } catch {
    return false;
  }
}

/**
 * Applies a patch: one of RFC 7351, or any other document whose root's children are operations of RFC 5261.
 * @throws Error when either is no XML that we patch, or the patch does not fit (RFC 5261 §5)
 */
export function applyXmlPatch(before: Uint8Array, patch: Uint8Array): Uint8Array {
  const [document, { root: operations } = {}] = [parseXmlTree(before, limits), parseXmlTree(patch, limits)];
  if (!document || !operations) throw new Error('either the document or the patch cannot be read');
  for (const child of operations.children) {
    if (child.kind === 'element') applyOperation(document.root, child);
  }
  return Buffer.from(serializeXmlTree(document), 'utf8');
}

function renderPatch(operations: readonly XmlOperation[]): string {
  const shared = new Map<string, string>();
  for (const { namespaces } of operations) {
    for (const [prefix, namespace] of namespaces) if (!shared.has(prefix)) shared.set(prefix, namespace);
  }
  let own = 'p';
  while (operations.some(({ namespaces }) => namespaces.has(own))) own += 'p';
  let text = '<?xml version="1.0" encoding="UTF-8"?>\n';
  text += `<${own}:patch${declarations([[own, patchNamespace], ...shared])}>\n`;
  for (const { name, attributes, content, namespaces } of operations) {
    const others = [...namespaces].filter(([prefix, namespace]) => shared.get(prefix) !== namespace);
    const places = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
    const tag = `${own}:${name}${declarations(others)}${places.join('')}`;
    text += content === '' ? `<${tag}/>\n` : `<${tag}>${content}</${own}:${name}>\n`;
  }
  return `${text}</${own}:patch>\n`;
}

function declarations(namespaces: Iterable<readonly [string, string]>): string {
  return Array.from(namespaces, ([prefix, namespace]) => {
    const value = namespace.replace(/[&<"]/g, (character) => `&#${character.charCodeAt(0)};`);
    return ` xmlns${prefix && `:${prefix}`}="${value}"`;
  }).join('');
}
