import type { Item } from '../model.ts';
import type { Face } from './rest-json.ts';

interface Link {
  readonly href: string;
  readonly rel: string;
  readonly type?: string;
  readonly anchor: string;
}

function itemUrl({ ui }: Face, { entityType, uuid }: Item): string {
  return entityType === null ? `${ui}/items/${uuid}` : `${ui}/entities/${entityType.toLowerCase()}/${uuid}`;
}

/** All links of an item and its files; an anchor is what a link is from. */
function linksOf(face: Face, item: Item): Link[] {
  const anchor = itemUrl(face, item);
  const base = `${face.server}/signposting`;
  const linksets = [
    { href: `${base}/linksets/${item.uuid}`, rel: 'linkset', type: 'application/linkset' },
    { href: `${base}/linksets/${item.uuid}/json`, rel: 'linkset', type: 'application/linkset+json' },
  ];
  const files = item.files.map(({ uuid, mimeType }) => ({
    href: `${face.ui}/bitstreams/${uuid}/download`,
    type: mimeType,
  }));
  const describedby = `${base}/describedby/${item.uuid}`;
  const cited = item.metadata['dc.identifier.uri'] ?? [];
  return [
    ...files.map(({ href, type }) => ({ href, rel: 'item', type, anchor })),
    { href: 'https://schema.org/AboutPage', rel: 'type', anchor },
    ...linksets.map((link) => ({ ...link, anchor })),
    { href: describedby, rel: 'describedby', type: 'application/vnd.datacite.datacite+xml', anchor },
    ...cited.map(({ value }) => ({ href: value, rel: 'cite-as', anchor })),
    ...files.flatMap(({ href }) => [
      { href: anchor, rel: 'collection', type: 'text/html', anchor: href },
      ...linksets.map((link) => ({ ...link, anchor: href })),
    ]),
    { href: anchor, rel: 'describes', type: 'text/html', anchor: describedby },
  ];
}

/** `/signposting/linksets/{u}/json`, with the `uniqueType` that has strayed into those of DSpace 10. */
export function linksetJson(face: Face, item: Item): Record<string, unknown> {
  const contexts = new Map<string, Record<string, unknown>>();
  for (const { href, rel, type, anchor } of linksOf(face, item)) {
    const context = contexts.get(anchor) ?? {};
    contexts.set(anchor, context);
    const targets = (context[rel] ?? []) as object[];
    context[rel] = targets;
    targets.push(type === undefined ? { href } : { href, type });
  }
  const linkset = [...contexts].map(([anchor, context]) => ({ ...context, anchor }));
  return face.profile.uniqueType ? { linkset, uniqueType: 'null.null' } : { linkset };
}

/** `/signposting/linksets/{u}` */
export function linksetText(face: Face, item: Item): string {
  return linksOf(face, item)
    .map(
      ({ href, rel, type, anchor }) =>
        `<${href}> ; rel="${rel}" ;${type ? ` type="${type}" ;` : ''} anchor="${anchor}" , `,
    )
    .join('\n');
}

/** `/signposting/links/{u}`: those of the item itself, ten files at most. */
export function linksJson(face: Face, item: Item): object[] {
  const anchor = itemUrl(face, item);
  let files = 0;
  return linksOf(face, item)
    .filter((link) => link.anchor === anchor && (link.rel !== 'item' || ++files <= 10))
    .map(({ href, rel, type }) => (type === undefined ? { href, rel } : { href, rel, type }));
}
