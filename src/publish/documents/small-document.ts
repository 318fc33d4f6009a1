import { rsNamespace, sitemapNamespace } from '../../core/sitemap.ts';
import { stylesheetInstruction } from './stylesheet-instruction.ts';
import { escapeUri, escapeXml } from './xml-text.ts';

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

/**
 * As text, as the lists are (`entry-writer.ts`): a thousand sets have a Source Description of two thousand entries, and a
 * DOM of those would hold everything else up for a second. A test holds this and xmlbuilder2 to the same bytes.
 */
export function renderSmallDocument({ baseUrl, root, links, md, entries }: SmallDocument): string {
  const element = root === 'urlset' ? 'url' : 'sitemap';
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<?xml-stylesheet ${stylesheetInstruction(baseUrl)}?>`,
    `<${root} xmlns="${sitemapNamespace}" xmlns:rs="${rsNamespace}">`,
    ...links.map((link) => `  ${renderLink(link)}`),
    `  ${renderMetadata(md)}`,
  ];
  for (const { loc, md: own, links: ownLinks = [] } of entries) {
    lines.push(
      `  <${element}>`,
      `    <loc>${escapeUri(loc)}</loc>`,
      `    ${renderMetadata(own)}`,
      ...ownLinks.map((link) => `    ${renderLink(link)}`),
      `  </${element}>`,
    );
  }
  return `${lines.join('\n')}\n</${root}>\n`;
}

function renderLink({ rel, href }: { readonly rel: string; readonly href: string }): string {
  return `<rs:ln rel="${escapeXml(rel)}" href="${escapeUri(href)}"/>`;
}

function renderMetadata(attributes: Readonly<Record<string, string | undefined>>): string {
  const known = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return `<rs:md${known.map(([name, value = '']) => ` ${name}="${escapeXml(value)}"`).join('')}/>`;
}
