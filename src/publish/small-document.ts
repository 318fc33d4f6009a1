import { create } from 'xmlbuilder2';
import { rsNamespace, sitemapNamespace } from './entry-writer.ts';
import { stylesheetInstruction } from './stylesheet-instruction.ts';
import { cleanText, toAsciiUri } from './xml-text.ts';

/** A document of few entries: descriptions, Capability Lists, indexes. */
export interface SmallDocument {
  readonly baseUrl: string;
  readonly root: 'urlset' | 'sitemapindex';
  readonly links: readonly { readonly rel: string; readonly href: string }[];
  /** Attributes of the root's `rs:md`, in order; undefined ones are left out. */
  readonly md: Readonly<Record<string, string | undefined>>;
  readonly entries: readonly SmallEntry[];
}

export interface SmallEntry {
  readonly loc: string;
  readonly md: Readonly<Record<string, string | undefined>>;
  readonly links?: readonly { readonly rel: string; readonly href: string }[];
}

export function renderSmallDocument(document: SmallDocument): string {
  const whole = create({ version: '1.0', encoding: 'UTF-8' });
  whole.ins('xml-stylesheet', stylesheetInstruction(document.baseUrl));
  const root = whole.ele(sitemapNamespace, document.root);
  root.att('http://www.w3.org/2000/xmlns/', 'xmlns:rs', rsNamespace);
  for (const { rel, href } of document.links) root.ele(rsNamespace, 'rs:ln', { rel, href: toAsciiUri(href) });
  root.ele(rsNamespace, 'rs:md', present(document.md));
  for (const entry of document.entries) {
    const element = root.ele(sitemapNamespace, document.root === 'urlset' ? 'url' : 'sitemap');
    element.ele(sitemapNamespace, 'loc').txt(toAsciiUri(entry.loc));
    element.ele(rsNamespace, 'rs:md', present(entry.md));
    for (const { rel, href } of entry.links ?? []) {
      element.ele(rsNamespace, 'rs:ln', { rel, href: toAsciiUri(href) });
    }
  }
  return `${root.end({ prettyPrint: true })}\n`;
}

function present(attributes: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) kept[name] = cleanText(value);
  }
  return kept;
}
