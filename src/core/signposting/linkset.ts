import { parseLinkField } from './link-field.ts';
import { absolute, maximumLinks, type TypedLink, toTypedLink } from './typed-link.ts';

/**
 * Reads a set of links (RFC 9264) in either of its syntaxes: told by the media type, and where that says neither,
 * by the first character.
 * @param url where it was found: what references are relative to
 * @returns nothing for what is no link set
 */
export function parseLinkset(text: string, type: string | undefined, url: string): readonly TypedLink[] {
  const asJson =
    type === 'application/linkset+json' || (type !== 'application/linkset' && /^\s*[{[]/.test(text));
  return asJson ? parseLinksetJson(text, url) : parseLinkField(text, url);
}

function parseLinksetJson(text: string, url: string): readonly TypedLink[] {
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return [];
  }
  const links: TypedLink[] = [];
  for (const context of list(isObject(document) ? document.linkset : undefined)) {
    if (!isObject(context)) continue;
    const anchor = string(context.anchor);
    // Without it, everything would be said of the link set itself (RFC 9264 §4.2.2).
    if (anchor !== undefined && absolute(anchor, url) === undefined) continue;
    for (const [rel, targets] of Object.entries(context)) {
      if (rel === 'anchor') continue;
      for (const target of list(targets)) {
        if (links.length >= maximumLinks) return links;
        const link = toLink(target, rel, anchor, url);
        if (link !== undefined) links.push(link);
      }
    }
  }
  return links;
}

function toLink(
  target: unknown,
  rel: string,
  anchor: string | undefined,
  url: string,
): TypedLink | undefined {
  if (!isObject(target) || typeof target.href !== 'string') return undefined;
  const [international] = list(target['title*']);
  const title = isObject(international) ? string(international.value) : undefined;
  return toTypedLink(
    {
      target: target.href,
      anchor,
      rel,
      type: string(target.type),
      length: typeof target.length === 'number' ? String(target.length) : string(target.length),
      title: title ?? string(target.title),
    },
    url,
  );
}

/** A single object where an array is due is common. */
function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
