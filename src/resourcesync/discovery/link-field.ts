/**
 * Links that are not in ResourceSync documents: in HTTP `Link` fields (RFC 8288), in documents of the same form
 * (`application/link-format`: TimeMaps), and in the head of HTML pages.
 */

export interface FieldLink {
  /** An absolute URI. */
  readonly target: string;
  /** In lower case. */
  readonly relations: readonly string[];
  /** By name, in lower case; of several the first (RFC 8288 §3.4.1). */
  readonly parameters: ReadonlyMap<string, string>;
}

const value = /<([^<>]*)>((?:\s*;\s*[\w!#$&+.^`|~*-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^",;\s]*))?)*)/g;
const parameter = /;\s*([\w!#$&+.^`|~*-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^",;\s]*)))?/g;

/** Every link of a `Link` field, or of a document in link-format; relative targets are of `base`. */
export function readLinks(text: string | undefined, base: string): readonly FieldLink[] {
  if (text === undefined) return [];
  return [...text.matchAll(value)].flatMap(([, target = '', rest = '']) => {
    const parameters = new Map<string, string>();
    for (const [, name = '', quoted, token] of rest.matchAll(parameter)) {
      const key = name.toLowerCase();
      if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? token ?? '');
    }
    const relations = relationsOf(parameters.get('rel'));
    return resolve(target, base).map((absolute) => ({ target: absolute, relations, parameters }));
  });
}

/** The targets of a relation in a `Link` field, as absolute URIs. */
export function linkTargets(field: string | undefined, relation: string, base: string): readonly string[] {
  return readLinks(field, base).flatMap(({ relations, target }) =>
    relations.includes(relation) ? target : [],
  );
}

const linkElement = /<link\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi;

/** The same of the `<link>` elements of an HTML page, as far as its text is given. */
export function htmlLinkTargets(html: string, relation: string, base: string): readonly string[] {
  const visible = html.replace(/<!--[\s\S]*?-->/g, '');
  return [...visible.matchAll(linkElement)].flatMap(([, attributes = '']) => {
    const href = attributeOf(attributes, 'href');
    const relations = relationsOf(attributeOf(attributes, 'rel'));
    return href !== undefined && relations.includes(relation) ? resolve(href, base) : [];
  });
}

function attributeOf(attributes: string, name: string): string | undefined {
  const [, double, single, bare] =
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes) ?? [];
  return (double ?? single ?? bare)?.replace(/&amp;/g, '&');
}

function relationsOf(rel: string | undefined): readonly string[] {
  return rel?.toLowerCase().split(/\s+/) ?? [];
}

function resolve(target: string, base: string): readonly string[] {
  return URL.canParse(target, base) ? [new URL(target, base).href] : [];
}
