import { SaxesParser, type SaxesTagNS } from 'saxes';
import { rsNamespace, sitemapNamespace } from '../../core/sitemap.ts';
import { BareAmpersands } from './bare-ampersands.ts';
import { DeclaredEncoding } from './declared-encoding.ts';
import type { Attributes, DocumentEntry, DocumentHead, LinkReading } from './document-model.ts';
import { EntryFeed } from './entry-feed.ts';
import type { Report } from './report.ts';
import { Utf8Text } from './utf8-text.ts';

export interface DocumentHandler {
  /** Before the first entry; once more at the end, if there is more of it behind that. */
  head(head: DocumentHead): void;
  entry(entry: DocumentEntry): void;
}

export interface ReadDocument {
  readonly entries: number;
  readonly bytes: number;
  /** It was read to its end, and is well-formed, but for ampersands. */
  readonly whole: boolean;
}

interface Draft {
  readonly element: string;
  readonly attributes: readonly string[];
  readonly texts: Record<'loc' | 'lastmod' | 'changefreq' | 'priority', string[]>;
  readonly md: Attributes[];
  readonly links: Attributes[];
  readonly order: string[];
}

const maximumDepth = 100;
/** Longer than the 50 MB of the rule, so that what is a little too long is still read. */
const maximumBytes = 64 * 1024 * 1024;

/** Ends reading: the rest of the document is not looked at. */
class Unreadable extends Error {}

export interface ReadingOptions {
  /** Namespaces that are nearly the right ones are taken for them, and reported; a bare `&` is a warning. Default false. */
  readonly forgiving?: boolean;
  /** Default: now. */
  readonly linkReading?: LinkReading | undefined;
}

/** Reads a document from its bytes, entry by entry, and reports what is wrong with its form. */
export async function readDocument(
  chunks: AsyncIterable<Uint8Array>,
  handler: DocumentHandler,
  report: Report,
  { forgiving = false, linkReading = 'now' }: ReadingOptions = {},
): Promise<ReadDocument> {
  const parser = new SaxesParser({ xmlns: true });
  const decoder = new Utf8Text();
  const declaredEncoding = new DeclaredEncoding();
  const root = {
    name: '',
    namespace: '',
    md: [] as Attributes[],
    links: [] as Attributes[],
    misnamed: false,
  };
  const path: string[] = [];
  let entry: Draft | undefined;
  let text = '';
  let entries = 0;
  let bytes = 0;
  let headDone = false;
  let headGrew = false;
  let declared = false;
  let childEnd: number | undefined;
  let prefixes: ReadonlySet<string> | undefined;

  const finishHead = () => {
    if ((headDone && !headGrew) || root.name === '') return;
    headDone = true;
    headGrew = false;
    const { name, namespace, md, links, misnamed } = root;
    handler.head({ root: name, namespace, md: [...md], links: [...links], misnamed });
  };

  parser.on('xmldecl', ({ version, encoding }) => {
    declared = true;
    if (encoding && !/^utf-8$/i.test(encoding)) report('RS-GEN-19', `the encoding is ${encoding}`);
    if (version !== '1.0') report('RS-GEN-19', `it is XML ${version}`);
  });
  parser.on('doctype', (declared) => {
    // Nothing of a web page needs to be well-formed; this is what tells one.
    if (/^\s*html\b/i.test(declared)) root.name = 'html';
    throw new Unreadable('it has a document type declaration, which is not read for safety');
  });
  const meant = forgiving ? createForgiveness(report) : (namespace: string) => namespace;
  parser.on('opentag', (tag) => {
    tag.uri = meant(tag.uri);
    text = '';
    path.push(tag.local);
    const depth = path.length;
    if (depth > maximumDepth) throw new Unreadable(`its elements are nested ${depth} deep`);
    if (depth === 1) {
      root.name = tag.local;
      root.namespace = tag.uri;
      // Where the root has a prefix, nothing may be without one.
      const plain = tag.ns[''] ?? (tag.prefix === '' ? '' : undefined);
      const isPlain = plain !== undefined && meant(plain) === sitemapNamespace;
      prefixes = isPlain ? prefixesOf(tag, meant) : undefined;
      if (!declared) report('RS-GEN-19', 'it has no XML declaration');
    } else if (tag.uri === rsNamespace && (tag.local === 'md' || tag.local === 'ln')) {
      const attributes = attributesOf(tag, report);
      if (depth === 2) {
        if (headDone) report('RS-GEN-20', `${tag.name} of the document comes after its first entry`);
        headGrew = headDone;
        (tag.local === 'md' ? root.md : root.links).push(attributes);
      } else if (depth === 3 && entry) {
        (tag.local === 'md' ? entry.md : entry.links).push(attributes);
        entry.order.push(tag.local);
      } else if (root.namespace === sitemapNamespace || depth > 3) {
        // In another namespace there are no entries that it could stand in.
        report('RS-GEN-22', `${tag.name} stands inside ${path.at(-2)}`);
      }
    } else if (depth === 2 && tag.uri === sitemapNamespace) {
      if (!headDone) finishHead();
      entry = emptyDraft(tag);
    } else if (depth === 3 && tag.uri === sitemapNamespace) {
      entry?.order.push(tag.local);
    } else if (tag.uri !== sitemapNamespace) {
      if (depth === 2 && tag.local === 'md' && isNearlyOurs(tag.uri)) root.misnamed = true;
      checkForeign(tag, report);
    }
  });
  parser.on('text', (piece) => {
    text += piece;
  });
  parser.on('cdata', (piece) => {
    text += piece;
  });
  parser.on('closetag', (tag) => {
    const depth = path.length;
    if (depth === 3 && entry && tag.uri === sitemapNamespace && Object.hasOwn(entry.texts, tag.local)) {
      entry.texts[tag.local as keyof Draft['texts']].push(text.trim());
    } else if (tag.uri === rsNamespace && text !== '' && text.trim() !== '') {
      report('RS-GEN-22', `${tag.name} has content`);
    } else if (depth === 2 && entry) {
      entries += 1;
      const { element, attributes, texts, md, links, order } = entry;
      const { loc: locs, lastmod: lastmods, changefreq: changefreqs, priority: priorities } = texts;
      entry = undefined;
      handler.entry({
        ...{ number: entries, element, attributes, locs, lastmods, changefreqs, priorities },
        ...{ md, links, order, unreadLinks: '' },
      });
    }
    text = '';
    path.pop();
    childEnd = path.length === 1 ? parser.position : undefined;
  });

  const severity = forgiving ? 'warning' : 'error';
  const ampersands = new BareAmpersands(
    (where) => report('RS-GEN-19', `an & is not written as &amp;, and read as one: ${where}`, severity),
    () => new Unreadable('it is full of ampersands that are not written as &amp;'),
  );
  const feed = new EntryFeed(
    parser,
    () => ({ childEnd, prefixes, entries }),
    { ampersands, linkReading },
    (found) => {
      if (!headDone) finishHead();
      entries = found.number;
      handler.entry(found);
    },
  );

  let whole = false;
  try {
    try {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > maximumBytes) break;
        const decoded = decoder.decode(chunk);
        const other = declaredEncoding.look(chunk, decoded);
        if (other !== undefined)
          throw new Unreadable(`it is not well-formed XML in UTF-8: it is in ${other}, as it says`);
        feed.write(decoded);
      }
    } finally {
      // Whatever ended it: what came before comes before.
      feed.flush();
    }
    if (bytes <= maximumBytes) {
      parser.write(decoder.end()).close();
      whole = true;
    }
  } catch (error) {
    if (!isOfXml(error)) throw error;
    const message = error instanceof Unreadable ? error.message : describe(error as Error);
    report('RS-GEN-19', message, 'error');
  }
  finishHead();
  return { entries, bytes, whole };
}

/** saxes throws errors without a class or code of their own; a connection, a file or a defect of ours does not. */
function isOfXml(error: unknown): boolean {
  if (error instanceof Unreadable) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' || (code === undefined && error.constructor === Error);
}

function describe({ message }: Error): string {
  return `it is not well-formed XML in UTF-8: ${message.slice(0, 200)}`;
}

function isNearlyOurs(namespace: string): boolean {
  return namespace !== rsNamespace && /openarchives\.org\/rs/.test(namespace);
}

function checkForeign(tag: SaxesTagNS, report: Report): void {
  if (isNearlyOurs(tag.uri)) {
    report('RS-GEN-16', `${tag.name} is in the namespace ${tag.uri}`);
  } else if (tag.uri === rsNamespace) {
    report('RS-GEN-16', `${tag.name} is no element of ResourceSync`);
  }
}

function emptyDraft(tag: SaxesTagNS): Draft {
  const texts = { loc: [], lastmod: [], changefreq: [], priority: [] };
  return { element: tag.local, attributes: namesOf(tag), texts, md: [], links: [], order: [] };
}

function namesOf(tag: SaxesTagNS): string[] {
  const names: string[] = [];
  for (const name in tag.attributes) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) names.push(name);
  }
  return names;
}

/** Those of ResourceSync, each with its colon. */
function prefixesOf({ ns }: SaxesTagNS, meant: (namespace: string) => string): ReadonlySet<string> {
  return new Set(
    Object.keys(ns).flatMap((name) =>
      name !== '' && meant(ns[name] ?? '') === rsNamespace ? `${name}:` : [],
    ),
  );
}

/** `https`, a slash too many or too few, an older version, none at all. */
const nearlySitemap =
  /^(?:https?:\/\/(?:www\.)?(?:sitemaps\.org|google\.com)\/schemas\/sitemap\/0\.\d+\/?)?$/i;

/** @returns the namespace that is meant, where one that is written nearly is it */
function createForgiveness(report: Report): (namespace: string) => string {
  const known = new Map<string, string>([
    [sitemapNamespace, sitemapNamespace],
    [rsNamespace, rsNamespace],
  ]);
  return (namespace) => {
    const before = known.get(namespace);
    if (before !== undefined) return before;
    let meant = namespace;
    if (nearlySitemap.test(namespace)) meant = sitemapNamespace;
    else if (isNearlyOurs(namespace)) meant = rsNamespace;
    if (meant !== namespace) {
      const rule = meant === rsNamespace ? 'RS-GEN-16' : 'RS-GEN-01';
      const written = namespace === '' ? 'it has no namespace' : `its namespace is ${namespace}`;
      report(rule, `${written}, which is taken for ${meant}`);
    }
    // Of hundreds of others nobody has to know.
    if (known.size < 100) known.set(namespace, meant);
    return meant;
  };
}

/** RS-GEN-14: ours have no prefix; those of a community have one, and are none of our business. */
function attributesOf(tag: SaxesTagNS, report: Report): Attributes {
  const attributes = new Map<string, string>();
  for (const name in tag.attributes) {
    const attribute = tag.attributes[name];
    if (attribute === undefined) continue;
    if (attribute.uri === rsNamespace) {
      report('RS-GEN-14', `the attribute ${name} of ${tag.name} is prefixed`);
      // What it says is plain all the same.
      if (!attributes.has(attribute.local)) attributes.set(attribute.local, attribute.value);
    } else if (attribute.prefix === '' && name !== 'xmlns') attributes.set(name, attribute.value);
  }
  return attributes;
}
