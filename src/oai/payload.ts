import { oaiNamespace, xsiNamespace } from './protocol.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The root element of a stored record, byte for byte as it is, ready to stand in an answer: without BOM, XML declaration,
 * document type and whatever stands around it; with `xsi:schemaLocation` where the root has none (OAI-PMH §3.4).
 * @param schema of the format
 * @returns undefined for what cannot stand there: no UTF-8, no namespace or that of OAI-PMH, entities of its own
 */
export function embedded(content: Uint8Array, schema: string): string | undefined {
  let text: string;
  try {
    text = utf8.decode(content);
  } catch {
    return undefined;
  }
  const root = rootIn(text);
  if (root === undefined) return undefined;
  const last = endOfRoot(text, text.lastIndexOf('>') + 1);
  const way = embeddingOf(root.tag, schema);
  if (last === undefined || way === undefined) return undefined;
  if (way.added === '') return text.slice(root.start, last);
  const added = root.start + way.at;
  return `${text.slice(root.start, added)}${way.added}${text.slice(added, last)}`;
}

/** What has to stand in a start tag that is not there, and where; empty: nothing. */
interface Embedding {
  readonly at: number;
  readonly added: string;
}

/** The start tags of a format are nearly always the same. */
const known = new Map<string, Embedding | undefined>();
const mostKnown = 200;
const longestKnown = 4096;

function embeddingOf(tag: string, schema: string): Embedding | undefined {
  if (tag.length > longestKnown) return readEmbedding(tag, schema);
  const key = `${schema} ${tag}`;
  if (known.has(key)) return known.get(key);
  if (known.size >= mostKnown) known.clear();
  const way = readEmbedding(tag, schema);
  known.set(key, way);
  return way;
}

/** @returns undefined where it has no namespace, or that of OAI-PMH */
function readEmbedding(tag: string, schema: string): Embedding | undefined {
  const found = namespaceOf(tag);
  if (found === undefined || found === '' || found === oaiNamespace) return undefined;
  const at = /^<[^\s/>]+/.exec(tag)?.[0].length ?? 0;
  if (hasSchemaLocation(tag)) return { at, added: '' };
  const declared = prefixOf(tag, xsiNamespace);
  const prefix = declared ?? (/\sxmlns:xsi\s*=/.test(tag) ? 'oaixsi' : 'xsi');
  // The answer declares `xsi`, but whoever takes the record out of it needs it in the record.
  const declaration = declared === undefined ? ` xmlns:${prefix}="${xsiNamespace}"` : '';
  return { at, added: `${declaration} ${prefix}:schemaLocation="${attribute(found)} ${attribute(schema)}"` };
}

/** The start tag of the root; its place behind whatever may stand before it. */
function rootIn(text: string): { readonly start: number; readonly tag: string } | undefined {
  let at = 0;
  for (;;) {
    at = text.indexOf('<', at);
    if (at < 0) return undefined;
    let end: number;
    if (text.startsWith('<?', at)) end = after(text, '?>', at);
    else if (text.startsWith('<!--', at)) end = after(text, '-->', at);
    else if (text.startsWith('<!', at)) {
      end = after(text, '>', at);
      // What it declares would be missing.
      if (text.slice(at, end).includes('[')) return undefined;
    } else break;
    if (end < 0) return undefined;
    at = end;
  }
  const tag = /^<[^\s/>!?][^\s/>]*(?:\s+[^\s=>/]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*\/?>/.exec(
    text.slice(at, at + longestTag),
  )?.[0];
  return tag === undefined ? undefined : { start: at, tag };
}

/** More than any format has. */
const longestTag = 65_536;

function after(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found < 0 ? -1 : found + end.length;
}

/** Behind the root there may be comments and instructions: its end tag is the last tag. */
function endOfRoot(text: string, end: number): number | undefined {
  let last = end;
  for (;;) {
    const before = text.slice(0, last);
    if (before.endsWith('-->')) last = before.lastIndexOf('<!--');
    else if (before.endsWith('?>')) last = before.lastIndexOf('<?');
    else return last > 0 ? last : undefined;
    last = before.slice(0, last).lastIndexOf('>') + 1;
    if (last <= 0) return undefined;
  }
}

const attributes = /\s([^\s=>/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function attributesOf(tag: string): readonly (readonly [name: string, value: string])[] {
  return [...tag.matchAll(attributes)].map(([, name = '', double, single]) => [
    name,
    referred(double ?? single ?? ''),
  ]);
}

/** Of the root element; undefined: its prefix is not declared. */
function namespaceOf(tag: string): string | undefined {
  const name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
  const [prefix] = name.includes(':') ? name.split(':', 1) : [undefined];
  const declaration = prefix === undefined ? 'xmlns' : `xmlns:${prefix}`;
  const declared = attributesOf(tag).find(([attributeName]) => attributeName === declaration)?.[1];
  return declared ?? (prefix === undefined ? '' : undefined);
}

function prefixOf(tag: string, namespace: string): string | undefined {
  const found = attributesOf(tag).find(([name, value]) => name.startsWith('xmlns:') && value === namespace);
  return found?.[0].slice('xmlns:'.length);
}

function hasSchemaLocation(tag: string): boolean {
  const prefix = prefixOf(tag, xsiNamespace) ?? 'xsi';
  return attributesOf(tag).some(([name]) => name === `${prefix}:schemaLocation`);
}

const references: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function referred(value: string): string {
  return value.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => references[name] ?? '');
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
