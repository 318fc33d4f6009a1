import type { Link } from '../../core/resource.ts';
import { hasSecret } from '../../core/secrets.ts';
import { toUri } from '../../core/uris.ts';
import { parseLinks } from '../../store/rows/representation-columns.ts';
import { escapeUri, escapeXml } from './xml-text.ts';

/** `<rs:ln>` elements as text. */

/** Nothing where the link would lead back to the resource (RS-LN-02). */
export function renderLink(baseUrl: string, link: Link, loc: string): string {
  const href = toUri(baseUrl, link.href);
  if (href === loc) return '';
  let text = `<rs:ln rel="${escapeXml(link.rel)}" href="${escapeUri(href)}"`;
  if (link.hash !== undefined) text += ` hash="${escapeXml(link.hash)}"`;
  if (link.length !== undefined) text += ` length="${link.length}"`;
  if (link.modified !== undefined) text += ` modified="${escapeXml(link.modified)}"`;
  if (link.path !== undefined) text += ` path="${escapeXml(link.path)}"`;
  if (link.pri !== undefined) text += ` pri="${link.pri}"`;
  if (link.type !== undefined) text += ` type="${escapeXml(link.type)}"`;
  return `${text}/>`;
}

const linkStart = '{"rel":"';
const hrefStart = '","href":"';
const typeStart = '","type":"';

/**
 * The links of a resource from their JSON. As nearly all of them are written, with a relation, an address and perhaps a
 * type, without a backslash, they need not become objects: a list has millions of them.
 */
export function renderStoredLinks(baseUrl: string, links: string, loc: string): string {
  if (links === '[]') return '';
  const usual = links.includes('\\') || hasSecret(links) ? undefined : renderUsual(baseUrl, links, loc);
  if (usual !== undefined) return usual;
  let text = '';
  for (const link of parseLinks(links)) text += renderLink(baseUrl, link, loc);
  return text;
}

/** @returns undefined where they are written otherwise */
function renderUsual(baseUrl: string, links: string, loc: string): string | undefined {
  let text = '';
  for (let at = 1; links.startsWith(linkStart, at); ) {
    const relEnd = links.indexOf('"', at + linkStart.length);
    if (!links.startsWith(hrefStart, relEnd)) return undefined;
    const from = relEnd + hrefStart.length;
    const to = links.indexOf('"', from);
    let end = to + 1;
    let type: string | undefined;
    if (links.startsWith(typeStart, to)) {
      end = links.indexOf('"', to + typeStart.length) + 1;
      type = links.slice(to + typeStart.length, end - 1);
    }
    if (end === 0 || links[end] !== '}') return undefined;
    const href = toUri(baseUrl, links.slice(from, to));
    if (href !== loc) {
      text += `<rs:ln rel="${escapeXml(links.slice(at + linkStart.length, relEnd))}" href="${escapeUri(href)}"`;
      text += type === undefined ? '/>' : ` type="${escapeXml(type)}"/>`;
    }
    if (links[end + 1] === ']' && end + 2 === links.length) return text;
    if (links[end + 1] !== ',') return undefined;
    at = end + 2;
  }
  return undefined;
}
