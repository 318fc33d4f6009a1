import { SaxesParser, type SaxesTagNS } from 'saxes';
import { rsNamespace, sitemapNamespace } from '../entry-writer.ts';
import type { Attributes, DocumentEntry, DocumentHead } from './document-model.ts';
import type { Report } from './finding.ts';

export interface DocumentHandler {
  head(head: DocumentHead): void;
  entry(entry: DocumentEntry): void;
}

interface Draft {
  readonly element: string;
  readonly attributes: readonly string[];
  readonly texts: Record<'loc' | 'lastmod' | 'changefreq' | 'priority', string[]>;
  readonly md: Attributes[];
  readonly links: Attributes[];
  readonly order: string[];
}

/**
 * Reads a document from its bytes, entry by entry, and reports what is wrong with its form.
 * @returns the number of entries and bytes
 */
export async function readDocument(
  chunks: AsyncIterable<Uint8Array>,
  handler: DocumentHandler,
  report: Report,
): Promise<{ readonly entries: number; readonly bytes: number }> {
  const parser = new SaxesParser({ xmlns: true });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const root = { name: '', namespace: '', md: [] as Attributes[], links: [] as Attributes[] };
  const path: string[] = [];
  let entry: Draft | undefined;
  let text = '';
  let entries = 0;
  let bytes = 0;
  let headDone = false;

  const finishHead = () => {
    if (headDone) return;
    headDone = true;
    handler.head({ root: root.name, namespace: root.namespace, md: root.md, links: root.links });
  };

  parser.on('xmldecl', ({ encoding }) => {
    if (encoding && !/^utf-8$/i.test(encoding)) report('RS-GEN-19', 'warning', `the encoding is ${encoding}`);
  });
  parser.on('opentag', (tag) => {
    text = '';
    path.push(tag.local);
    if (path.length === 1) {
      root.name = tag.local;
      root.namespace = tag.uri;
    } else if (/openarchives\.org\/rs/.test(tag.uri) && tag.uri !== rsNamespace) {
      report('RS-GEN-16', 'error', `${tag.name} is in the namespace ${tag.uri}`);
    } else if (tag.uri === rsNamespace && (tag.local === 'md' || tag.local === 'ln')) {
      const attributes = attributesOf(tag, report);
      if (path.length === 2 && headDone) {
        report('RS-GEN-20', 'warning', `${tag.name} of the document comes after its first entry`);
      } else if (path.length === 2) {
        (tag.local === 'md' ? root.md : root.links).push(attributes);
      } else if (path.length === 3 && entry) {
        (tag.local === 'md' ? entry.md : entry.links).push(attributes);
        entry.order.push(tag.local);
      } else {
        report('RS-GEN-22', 'warning', `${tag.name} stands inside ${path.at(-2)}`);
      }
    } else if (path.length === 2 && tag.uri === sitemapNamespace) {
      finishHead();
      entry = emptyDraft(tag);
    } else if (path.length === 3 && tag.uri === sitemapNamespace) {
      entry?.order.push(tag.local);
    }
  });
  parser.on('text', (piece) => {
    text += piece;
  });
  parser.on('cdata', (piece) => {
    text += piece;
  });
  parser.on('closetag', (tag) => {
    if (path.length === 3 && entry && tag.uri === sitemapNamespace && Object.hasOwn(entry.texts, tag.local)) {
      entry.texts[tag.local as keyof Draft['texts']].push(text.trim());
    }
    if (tag.uri === rsNamespace && text.trim() !== '')
      report('RS-GEN-22', 'warning', `${tag.name} has content`);
    if (path.length === 2 && entry) {
      entries += 1;
      const { texts, ...rest } = entry;
      const { loc: locs, lastmod: lastmods, changefreq: changefreqs } = texts;
      handler.entry({ ...rest, number: entries, locs, lastmods, changefreqs });
      entry = undefined;
    }
    text = '';
    path.pop();
  });

  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      parser.write(decoder.decode(chunk, { stream: true }));
    }
    parser.write(decoder.decode()).close();
  } catch (error) {
    report('RS-GEN-19', 'error', `it is not well-formed XML in UTF-8: ${(error as Error).message}`);
  }
  finishHead();
  return { entries, bytes };
}

function emptyDraft(tag: SaxesTagNS): Draft {
  const attributes = Object.values(tag.attributes)
    .filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns')
    .map(({ name }) => name);
  const texts = { loc: [], lastmod: [], changefreq: [], priority: [] };
  return { element: tag.local, attributes, texts, md: [], links: [], order: [] };
}

/** RS-GEN-14: ours have no prefix; those of a community have one, and are none of our business. */
function attributesOf(tag: SaxesTagNS, report: Report): Attributes {
  const attributes = new Map<string, string>();
  for (const { name, prefix, uri, local, value } of Object.values(tag.attributes)) {
    if (uri === rsNamespace) report('RS-GEN-14', 'error', `the attribute ${name} of ${tag.name} is prefixed`);
    else if (prefix === '' && local !== 'xmlns') attributes.set(local, value);
  }
  return attributes;
}
