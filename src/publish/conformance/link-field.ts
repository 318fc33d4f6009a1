/** Links that are not in ResourceSync documents: in HTTP `Link` fields (RFC 8288) and in the head of HTML pages. */

const value = /<([^<>]*)>((?:\s*;\s*[\w!#$&+.^`|~*-]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^",;\s]*))?)*)/g;
const relParameter = /;\s*rel\s*=\s*(?:"([^"]*)"|([^",;\s]+))/i;

/** The targets of a relation in a `Link` field, as absolute URIs. */
export function linkTargets(field: string | undefined, relation: string, base: string): readonly string[] {
  if (field === undefined) return [];
  return [...field.matchAll(value)].flatMap(([, target = '', parameters = '']) => {
    const [, quoted, token] = relParameter.exec(parameters) ?? [];
    return named(quoted ?? token, relation) ? resolve(target, base) : [];
  });
}

const linkElement = /<link\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi;

/** The same of the `<link>` elements of an HTML page, as far as its text is given. */
export function htmlLinkTargets(html: string, relation: string, base: string): readonly string[] {
  const visible = html.replace(/<!--[\s\S]*?-->/g, '');
  return [...visible.matchAll(linkElement)].flatMap(([, attributes = '']) => {
    const href = attributeOf(attributes, 'href');
    return href !== undefined && named(attributeOf(attributes, 'rel'), relation) ? resolve(href, base) : [];
  });
}

function attributeOf(attributes: string, name: string): string | undefined {
  const [, double, single, bare] =
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes) ?? [];
  return (double ?? single ?? bare)?.replace(/&amp;/g, '&');
}

function named(relations: string | undefined, relation: string): boolean {
  return relations?.toLowerCase().split(/\s+/).includes(relation) ?? false;
}

function resolve(target: string, base: string): readonly string[] {
  return URL.canParse(target, base) ? [new URL(target, base).href] : [];
}
