import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { HttpResponse } from '../../../src/core/adapter.ts';
import { BridgeError, refusal } from '../../../src/core/errors.ts';
import { clause } from './clause.ts';
import { decodeXml } from './decode.ts';
import { htmlError, judgeStatus, looksLikeHtml, statusError } from './list-response.ts';
import type { OaiError } from './record-parser.ts';
import { repairRecord } from './repair.ts';

const maximumLength = 8 * 1024 * 1024;
/**
 * Tags, at their start and end, and attributes: each costs some 500 bytes while it is read, and ten thousand sets have
 * sixty thousand. Counted by `<` and `=`, before anything is read of it.
 */
const maximumMarks = 150_000;
/** Between two `<`: the parser puts together a text, or a tag, character by character, 32 bytes each. */
const maximumStretch = 256 * 1024;
const maximumDoctype = 65_536;

/** An element: its children by lower-case local name, attributes as `@name`, text as `#text`. */
export type XmlNode = Readonly<Record<string, unknown>>;

export interface SmallDocument {
  readonly root: XmlNode;
  readonly responseDate: string | undefined;
  readonly errors: readonly OaiError[];
  /** As of the response. */
  readonly movedTo?: string | undefined;
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  processEntities: false,
  alwaysCreateTextNode: true,
  isArray: (_name, _path, _leaf, isAttribute) => !isAttribute,
  transformTagName: (name) => name.toLowerCase(),
});

/** Reads a response that fits into memory: Identify, ListSets, ListMetadataFormats. @throws BridgeError */
export async function readSmallDocument(response: HttpResponse): Promise<SmallDocument> {
  try {
    const document = parseSmallDocument(await readText(response), response.url);
    if (response.status >= 400 && document.errors.length === 0)
      throw statusError(response.status, response.url);
    return { ...document, movedTo: response.movedTo };
  } catch (error) {
    throw judgeStatus(response, error);
  } finally {
    await response.discard();
  }
}

async function readText(response: HttpResponse): Promise<string> {
  let text = '';
  let marks = 0;
  let stretch = 0;
  for await (const piece of decodeXml(response.body, response.headers['content-type'])) {
    text += piece.text;
    const longest = longestStretch(piece.text, stretch);
    stretch = longest.open;
    marks += count('<', piece.text) + count('=', piece.text);
    if (text.length > maximumLength) {
      throw new BridgeError('response-too-large', `${response.url} answered with more than 8 MB`);
    }
    if (marks > maximumMarks) {
      const message = `${response.url} answered with more than ${maximumMarks} tags and attributes`;
      throw new BridgeError('response-too-large', message);
    }
    if (longest.length > maximumStretch) {
      throw new BridgeError(
        'response-too-large',
        `${response.url} answered with more than 256 kB in one text`,
      );
    }
  }
  return text.replace(/^[\uFEFF\s]+/, '');
}

/** @param before what has come since the last `<`; `open`: the same, behind this text */
function longestStretch(text: string, before: number): { readonly length: number; readonly open: number } {
  let length = 0;
  let from = -before;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    length = Math.max(length, at - from);
    from = at;
  }
  const open = text.length - from;
  return { length: Math.max(length, open), open };
}

function count(mark: string, text: string): number {
  let times = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) times += 1;
  return times;
}

function parseSmallDocument(text: string, url: string): SmallDocument {
  if (text === '') throw refusal('upstream-cut-off', 'answered-nothing', { url }, { retryable: true });
  if (looksLikeHtml(text)) throw htmlError(url);
  const document = validate(withoutDoctype(text, url), url);
  const parsed = asNode(parser.parse(document));
  const root = children(parsed, 'oai-pmh')[0];
  if (root === undefined) {
    const names = Object.keys(parsed).filter((name) => /^[a-z_]/.test(name));
    throw names[0] === 'html'
      ? htmlError(url)
      : new BridgeError(
          'upstream-protocol',
          `${url} did not answer in OAI-PMH (root: ${names[0] ?? 'none'})`,
        );
  }
  return {
    root,
    responseDate: childText(root, 'responsedate'),
    errors: children(root, 'error').map((error) => ({
      code: attribute(error, 'code') ?? '',
      message: nodeText(error),
    })),
  };
}

/** Nobody follows or expands what it declares (quirk 80). @throws BridgeError for one of more than 64 KB */
function withoutDoctype(text: string, url: string): string {
  const prolog = /^(?:<\?[^>]*>|<!--[\s\S]*?-->|\s)*/.exec(text)?.[0].length ?? 0;
  const behind = text.slice(prolog, prolog + maximumDoctype);
  if (!/^<!DOCTYPE/i.test(behind)) return text;
  const doctype = /^<!DOCTYPE[^[>]*(?:\[[\s\S]*?\]\s*)?>/i.exec(behind)?.[0];
  if (doctype === undefined) {
    throw new BridgeError('upstream-forbidden-doctype', `${url} answered with a DOCTYPE of more than 64 KB`);
  }
  return text.slice(0, prolog) + text.slice(prolog + doctype.length);
}

/**
 * fast-xml-parser reads truncated documents without a word, so this comes first.
 * @returns the document, mended where that was needed, without what follows it (quirks 37, 93)
 */
function validate(text: string, url: string): string {
  const ends = [/^[\s\S]*?<\/(?:[\w.-]+:)?OAI-PMH\s*>/i, /^[\s\S]*<\/(?:[\w.-]+:)?OAI-PMH\s*>/i];
  for (const end of ends) {
    const document = wellFormed(end.exec(text)?.[0] ?? text);
    if (document !== undefined) return document;
  }
  if (!/<\/(?:[\w.-]+:)?OAI-PMH\s*>/i.test(text) && /^[\s\S]{0,2000}<(?:[\w.-]+:)?OAI-PMH[\s>]/i.test(text)) {
    throw refusal('upstream-cut-off', 'cut-before-end', { url }, { retryable: true });
  }
  const first = XMLValidator.validate(text);
  const reason = first === true ? 'it holds characters that XML forbids' : clause(first.err.msg);
  throw refusal('upstream-not-xml', 'not-well-formed', { url, why: reason }, { retryable: true });
}

/** The text, or what can be made of it; undefined where that is not well-formed either. */
function wellFormed(text: string): string | undefined {
  const mended = repairRecord(text.replace(/^<\?xml[^>]*\?>/, ''));
  if (mended.reasons.length === 0 && XMLValidator.validate(text) === true) return text;
  return XMLValidator.validate(mended.text) === true ? mended.text : undefined;
}

function asNode(value: unknown): XmlNode {
  return typeof value === 'object' && value !== null ? (value as XmlNode) : { '#text': value };
}

export function children(node: XmlNode | undefined, name: string): readonly XmlNode[] {
  const value = node?.[name];
  return value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(asNode);
}

export function child(node: XmlNode | undefined, name: string): XmlNode | undefined {
  return children(node, name)[0];
}

export function nodeText(node: XmlNode): string {
  const value = node['#text'];
  return typeof value === 'string' ? decodeText(value).trim() : '';
}

/** Undefined also for an element without text, e.g. `<schema/>` (quirk 70). */
export function childText(node: XmlNode | undefined, name: string): string | undefined {
  const found = child(node, name);
  return (found && nodeText(found)) || undefined;
}

function attribute(node: XmlNode, name: string): string | undefined {
  const value = Object.entries(node).find(([key]) => key.toLowerCase() === `@${name.toLowerCase()}`)?.[1];
  return typeof value === 'string' ? decodeText(value).trim() : undefined;
}

const predefined: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** The five entities and character references; there are no others without a DTD. */
export function decodeText(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([\dA-Fa-f]{1,6})|(lt|gt|quot|apos|amp));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return predefined[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
