import type { Link } from '../core/resource.ts';

/** Proxies and clients give all headers together 8–16 kB (WL-14). */
const budget = 8000;

const token = /^[a-z][a-z0-9.-]*$/i;
const extensionRelation = /^[a-z][a-z0-9+.-]*:[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a~]+$/i;
const mediaType = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+$/;

/**
 * One RFC 8288 field value, in the order given, as far as the budget goes. What an upstream wrote into a
 * link cannot end a header, a target or a parameter.
 */
export function formatLinks(links: readonly Link[]): string | undefined {
  const values: string[] = [];
  let size = 0;
  for (const link of links) {
    const value = formatLink(link);
    if (value === undefined || size + value.length + 2 > budget) continue;
    values.push(value);
    size += value.length + 2;
  }
  return values.length === 0 ? undefined : values.join(', ');
}

function formatLink({ rel, href, type }: Link): string | undefined {
  const relations = rel
    .split(' ')
    .filter((relation) => token.test(relation) || extensionRelation.test(relation));
  if (relations.length === 0) return undefined;
  const typed = type !== undefined && mediaType.test(type) ? `; type="${type}"` : '';
  return `<${encodeTarget(href)}>; rel="${relations.join(' ')}"${typed}`;
}

/** Percent-encodes every octet that RFC 3986 has no place for; a `%` that begins no escape is one of them. */
function encodeTarget(uri: string): string {
  return uri.replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+/g, (illegal) =>
    Array.from(
      Buffer.from(illegal, 'utf8'),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    ).join(''),
  );
}
