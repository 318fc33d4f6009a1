import type { Item } from '../model.ts';
import { mayRead, mayReadParts } from '../viewer.ts';
import { isShown, shownPage } from './hidden-rows.ts';
import { type Face, type Json, type Look, pathOf, type Resource, render } from './rest-json.ts';

/** What a link of a resource leads to. */
export type Related =
  | { readonly one: Resource | undefined }
  | { readonly many: readonly Resource[]; readonly name: string }
  | 'refused'
  | 'unknown';

/** What to embed, by name, and what to embed in that. */
export interface EmbedTree {
  readonly size: number | undefined;
  readonly inside: ReadonlyMap<string, EmbedTree>;
}

/** Of `embed=a/b,c` and `embed.size=a/b=100`. */
export function embedTree(query: URLSearchParams): EmbedTree {
  type Mutable = { size: number | undefined; inside: Map<string, Mutable> };
  const root: Mutable = { size: undefined, inside: new Map() };
  const list = (key: string) =>
    query
      .getAll(key)
      .flatMap((text) => text.split(','))
      .filter((text) => text !== '');
  for (const path of list('embed')) {
    let node = root;
    for (const name of path.split('/').slice(0, 10)) {
      const next = node.inside.get(name) ?? { size: undefined, inside: new Map() };
      node.inside.set(name, next);
      node = next;
    }
  }
  for (const text of list('embed.size')) {
    const [path = '', size] = text.split('=');
    const node = path.split('/').reduce<Mutable | undefined>((at, name) => at?.inside.get(name), root);
    if (node !== undefined && /^\d+$/.test(size ?? '')) node.size = Number(size);
  }
  return root;
}

/** A resource with what hangs on it, as far as it was asked for and the viewer may see it. */
export function renderWith(face: Face, resource: Resource, look: Look, tree: EmbedTree): Json {
  const json = render(face, resource, look);
  const embedded: Json = {};
  for (const [name, inner] of tree.inside) {
    const related = follow(face, resource, name, look);
    if (related === 'refused' || related === 'unknown') continue;
    if ('one' in related) {
      const shown = shownOne(face, related.one, look);
      embedded[name] = shown === undefined ? null : renderWith(face, shown, look, inner);
      continue;
    }
    const size = Math.min(inner.size ?? 20, face.switches.maxListSize);
    const { rows: shown, totalElements } = shownPage(face, related.many, { number: 0, size }, look);
    const rows = shown.map((row) => row && renderWith(face, row, look, inner));
    const href = `${face.api}${pathOf(resource)}/${name}`;
    const totalPages = Math.ceil(totalElements / size);
    embedded[name] = {
      _embedded: { [related.name]: rows },
      page: { number: 0, size, totalPages, totalElements },
      _links: {
        ...(totalPages > 1 && {
          next: { href: `${href}?page=1&size=${size}` },
          last: { href: `${href}?page=${totalPages - 1}&size=${size}` },
        }),
        self: { href: inner.size === undefined ? href : `${href}?size=${size}` },
      },
    };
  }
  if (Object.keys(embedded).length > 0) json._embedded = embedded;
  return json;
}

/** Where a link of a resource leads. */
export function follow(face: Face, resource: Resource, name: string, look: Look): Related {
  const now = face.repository.now();
  if (face.switches.refusedRelations.has(name) || !isShown(face, resource, look)) return 'refused';
  switch (resource.type) {
    case 'item':
      return mayReadParts(resource.item, look.viewer, now)
        ? ofItem(face, resource.item, name, look)
        : 'refused';
    case 'bundle': {
      const { item, bundle } = resource;
      if (!mayReadParts(item, look.viewer, now)) return 'refused';
      if (name === 'item') return { one: { type: 'item', item } };
      const bitstreams = bundle.bitstreams.map(
        (bitstream) => ({ type: 'bitstream', item, bundle, bitstream }) as const,
      );
      if (name === 'bitstreams') return { many: bitstreams, name };
      return name === 'primaryBitstream' ? { one: undefined } : 'unknown';
    }
    case 'bitstream': {
      const { item, bundle, bitstream } = resource;
      if (!mayReadParts(item, look.viewer, now)) return 'refused';
      if (name === 'format') return { one: { type: 'format', mimeType: bitstream.mimeType } };
      if (name === 'bundle') return { one: { type: 'bundle', item, bundle } };
      if (name === 'thumbnail') return { one: undefined };
      if (name !== 'accessStatus' || !face.profile.bitstreamAccess || !face.switches.accessStatus)
        return 'unknown';
      return {
        one: { type: 'accessStatus', self: `${pathOf(resource)}/accessStatus`, read: bitstream.read },
      };
    }
    case 'collection': {
      const { collection } = resource;
      if (name === 'parentCommunity') return { one: { type: 'community', community: collection.parent } };
      if (name === 'logo') return { one: undefined };
      if (name !== 'mappedItems') return 'unknown';
      const items = face.repository.items.filter(
        (item) => item.mapped.includes(collection) && mayReadParts(item, look.viewer, now),
      );
      return { many: items.map((item) => ({ type: 'item', item })), name };
    }
    case 'community': {
      const { community } = resource;
      if (name === 'collections')
        return {
          many: community.collections.map((collection) => ({ type: 'collection', collection })),
          name,
        };
      if (name === 'subcommunities')
        return {
          many: community.communities.map((child) => ({ type: 'community', community: child })),
          name,
        };
      if (name === 'logo') return { one: undefined };
      if (name !== 'parentCommunity') return 'unknown';
      const { parent } = community;
      return { one: parent && { type: 'community', community: parent } };
    }
    case 'version': {
      if (refusesVersions(face, look)) return 'refused';
      const { version } = resource;
      if (name === 'versionhistory') return { one: { type: 'history', history: version.history } };
      if (name !== 'item') return 'unknown';
      return mayRead(version.item, look.viewer, now)
        ? { one: { type: 'item', item: version.item } }
        : 'refused';
    }
    case 'history': {
      if (refusesVersions(face, look)) return 'refused';
      if (name === 'draftVersion') return 'refused';
      if (name !== 'versions') return 'unknown';
      const versions = resource.history.versions.filter(
        ({ item }) => item.inArchive || item.withdrawn || !item.isLatest,
      );
      return { many: versions.reverse().map((version) => ({ type: 'version', version })), name };
    }
    case 'relationship':
      return name === 'relationshipType' ? { one: { type: 'relationshipType' } } : 'unknown';
    default:
      return 'unknown';
  }
}

/** What a link leads to, for who may read that. */
export function shownOne(face: Face, resource: Resource | undefined, look: Look): Resource | undefined {
  return resource !== undefined && isShown(face, resource, look) ? resource : undefined;
}

/** Hidden: only administrators see them. Off: nobody does. */
export function refusesVersions(face: Face, look: Look): boolean {
  const { versions } = face.switches;
  return versions === 'off' || (versions === 'hidden' && look.viewer?.admin !== true);
}

function ofItem(face: Face, item: Item, name: string, look: Look): Related {
  const path = `/core/items/${item.uuid}`;
  switch (name) {
    case 'bundles':
      return { many: item.bundles.map((bundle) => ({ type: 'bundle', item, bundle })), name };
    case 'owningCollection':
      return { one: { type: 'collection', collection: item.collection } };
    case 'mappedCollections':
      return { many: item.mapped.map((collection) => ({ type: 'collection', collection })), name };
    case 'accessStatus':
      if (!face.switches.accessStatus) return 'unknown';
      return { one: { type: 'accessStatus', self: `${path}/accessStatus`, read: item.files[0]?.read } };
    case 'identifiers':
      return { one: { type: 'identifiers', item } };
    case 'relationships':
      return {
        many: (item.relationships ?? []).map((relationship) => ({ type: 'relationship', relationship })),
        name,
      };
    case 'version':
      if (refusesVersions(face, look)) return 'refused';
      return { one: item.version && { type: 'version', version: item.version } };
    case 'thumbnail':
    case 'templateItemOf':
      return { one: undefined };
    case 'submitter':
      return 'refused';
    default:
      return 'unknown';
  }
}
