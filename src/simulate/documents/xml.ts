import { rsNamespace, sitemapNamespace } from '../../core/sitemap.ts';
import type { Attributes, Draft, DraftEntry } from './draft.ts';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for an element or a quoted attribute. */
export function escapeXml(text: string): string {
  return /[&<>"]/.test(text) ? text.replace(/[&<>"]/g, (found) => escapes[found] ?? found) : text;
}

/** A document, an entry a line. */
export function writeXml({ root, md, links, entries }: Draft): string {
  const element = root === 'urlset' ? 'url' : 'sitemap';
  const head = links.map((link) => empty('ln', link)).join('') + empty('md', md);
  const lines = entries.map((entry) => `<${element}>${entryText(entry)}</${element}>\n`).join('');
  const namespaces = `xmlns="${sitemapNamespace}" xmlns:rs="${rsNamespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${namespaces}>${head}\n${lines}</${root}>\n`;
}

function entryText({ loc, lastmod, md, links, more }: DraftEntry): string {
  const time = lastmod === undefined ? '' : `<lastmod>${lastmod}</lastmod>`;
  const below = links.map((link) => empty('ln', link)).join('');
  return `<loc>${escapeXml(loc)}</loc>${time}${empty('md', md)}${below}${more}`;
}

/** Nothing where it would have no attribute. */
function empty(name: 'md' | 'ln', attributes: Attributes): string {
  let text = '';
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) text += ` ${key}="${escapeXml(value)}"`;
  }
  return text === '' ? '' : `<rs:${name}${text}/>`;
}
