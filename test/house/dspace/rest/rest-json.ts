import {
  type Bitstream,
  type Bundle,
  type Collection,
  type Community,
  type Item,
  isOpen,
  type Metadata,
  md5,
  plain,
  type ReadPolicy,
  type Relationship,
  type Version,
  type VersionHistory,
} from '../model.ts';
import type { Repository } from '../repository.ts';
import type { Switches } from '../switches.ts';
import type { Viewer } from '../viewer.ts';
import { instant, type Profile } from './rest-version.ts';

/** What is shown, and where it says it is. */
export interface Face {
  readonly repository: Repository;
  readonly profile: Profile;
  readonly switches: Switches;
  /** `{server}/api`, as links state it. */
  api: string;
  /** `dspaceServer` */
  server: string;
  ui: string;
}

/** Who looks, and in which language; all languages where that is undefined. */
export interface Look {
  readonly viewer: Viewer;
  readonly locale: string | undefined;
}

export type Json = Record<string, unknown>;

/** Anything with an address of its own. */
export type Resource =
  | { readonly type: 'item'; readonly item: Item }
  | { readonly type: 'collection'; readonly collection: Collection }
  | { readonly type: 'community'; readonly community: Community }
  | { readonly type: 'bundle'; readonly item: Item; readonly bundle: Bundle }
  | {
      readonly type: 'bitstream';
      readonly item: Item;
      readonly bundle: Bundle;
      readonly bitstream: Bitstream;
    }
  | { readonly type: 'format'; readonly mimeType: string }
  | { readonly type: 'accessStatus'; readonly self: string; readonly read: ReadPolicy | undefined }
  | { readonly type: 'identifiers'; readonly item: Item }
  | { readonly type: 'version'; readonly version: Version }
  | { readonly type: 'history'; readonly history: VersionHistory }
  | { readonly type: 'relationship'; readonly relationship: Relationship }
  | { readonly type: 'relationshipType' };

/** Path of a resource below the API. */
export function pathOf(resource: Resource): string {
  switch (resource.type) {
    case 'item':
      return `/core/items/${resource.item.uuid}`;
    case 'collection':
      return `/core/collections/${resource.collection.uuid}`;
    case 'community':
      return `/core/communities/${resource.community.uuid}`;
    case 'bundle':
      return `/core/bundles/${resource.bundle.uuid}`;
    case 'bitstream':
      return `/core/bitstreams/${resource.bitstream.uuid}`;
    case 'format':
      return `/core/bitstreamformats/${formatNumber(resource.mimeType)}`;
    case 'accessStatus':
      return resource.self;
    case 'identifiers':
      return `/core/items/${resource.item.uuid}/identifiers`;
    case 'version':
      return `/versioning/versions/${resource.version.id}`;
    case 'history':
      return `/versioning/versionhistories/${resource.history.id}`;
    case 'relationship':
      return `/core/relationships/${resource.relationship.id}`;
    case 'relationshipType':
      return '/core/relationshiptypes/1';
  }
}

export function render(face: Face, resource: Resource, look: Look): Json {
  switch (resource.type) {
    case 'item':
      return itemJson(face, resource.item, look);
    case 'collection':
      return collectionJson(face, resource.collection);
    case 'community':
      return communityJson(face, resource.community);
    case 'bundle':
      return bundleJson(face, resource);
    case 'bitstream':
      return bitstreamJson(face, resource);
    case 'format':
      return formatJson(face, resource.mimeType);
    case 'accessStatus':
      return accessStatusJson(face, resource);
    case 'identifiers':
      return identifiersJson(face, resource.item);
    case 'version':
      return versionJson(face, resource.version, look.viewer);
    case 'history':
      return {
        id: resource.history.id,
        ...typed(face, 'versionhistory', 'versioning'),
        ...links(face, pathOf(resource), ['versions', 'draftVersion']),
      };
    case 'relationship':
      return relationshipJson(face, resource.relationship);
    case 'relationshipType':
      return relationshipTypeJson(face);
  }
}

export function typed(face: Face, type: string, category: string): Json {
  return face.profile.uniqueType ? { type, uniqueType: `${category}.${type}` } : { type };
}

function links(face: Face, path: string, names: readonly string[]): { _links: Json } {
  const self = `${face.api}${path}`;
  const all = names.map((name) => [name, { href: `${self}/${name}` }] as const);
  return { _links: { ...Object.fromEntries(all), self: { href: self } } };
}

const hiddenFields = new Set(['dc.description.provenance', 'person.email']);

/** With the values which relations bring along, without what is hidden from the viewer. */
function itemMetadata(item: Item, look: Look): Metadata {
  if (item.withdrawn && look.viewer?.admin !== true) return {};
  const metadata = { ...item.metadata };
  for (const { id, left, right } of item.relationships ?? []) {
    const [field, relation, other] =
      left === item
        ? ['dc.contributor.author', 'relation.isAuthorOfPublication', right]
        : ['', 'relation.isPublicationOfAuthor', left];
    const authority = `virtual::${id + 1000}`;
    metadata[relation as string] = [
      ...(metadata[relation as string] ?? []),
      { ...plain((other as Item).uuid), authority },
    ];
    if (field !== '')
      metadata[field as string] = [
        ...(metadata[field as string] ?? []),
        { ...plain((other as Item).name), authority },
      ];
  }
  return metadata;
}

function metadataJson(face: Face, metadata: Metadata, look: Look | undefined): Json {
  const json: Json = {};
  for (const field of Object.keys(metadata).sort()) {
    if (look !== undefined && look.viewer?.admin !== true && hiddenFields.has(field)) continue;
    const values = (metadata[field] ?? []).map((value, place) => ({
      ...value,
      place,
      ...(face.profile.securityLevel && { securityLevel: 0 }),
    }));
    const local = values.filter(({ language }) => language === look?.locale);
    json[field] = look?.locale !== undefined && local.length > 0 ? local : values;
  }
  return json;
}

function itemJson(face: Face, item: Item, look: Look): Json {
  const { profile, switches } = face;
  const names = [
    'bundles',
    'identifiers',
    'mappedCollections',
    'owningCollection',
    'relationships',
    'version',
  ];
  if (switches.accessStatus) names.unshift('accessStatus');
  if (profile.metricsLink) names.push('metrics');
  names.push('templateItemOf', 'thumbnail');
  if (profile.submitterLink) names.push('submitter');
  const metadata = itemMetadata(item, look);
  return {
    id: item.uuid,
    uuid: item.uuid,
    name: metadata['dc.title']?.[0]?.value ?? null,
    handle: item.handle ?? null,
    metadata: metadataJson(face, metadata, look),
    inArchive: item.inArchive,
    discoverable: item.discoverable,
    withdrawn: item.withdrawn,
    lastModified: instant(profile, item.lastModified, item.micros),
    entityType: item.entityType,
    ...typed(face, 'item', 'core'),
    ...links(face, `/core/items/${item.uuid}`, names),
  };
}

/** The fields of what only has a name and perhaps a handle. */
function named(face: Face, name: string, handle?: string): Json {
  const metadata: Metadata = { 'dc.title': [plain(name)] };
  if (handle !== undefined)
    metadata['dc.identifier.uri'] = [plain(`${face.repository.handleServer}/${handle}`)];
  return metadataJson(face, metadata, undefined);
}

function collectionJson(face: Face, collection: Collection): Json {
  const names =
    'harvester itemtemplate license logo mappedItems parentCommunity adminGroup submittersGroup itemReadGroup bitstreamReadGroup';
  const json = links(face, `/core/collections/${collection.uuid}`, names.split(' '));
  json._links.workflowGroups = ['reviewer', 'editor', 'finaleditor'].map((name) => ({
    href: `${face.api}/core/collections/${collection.uuid}/workflowGroups/${name}`,
    name,
  }));
  return {
    id: collection.uuid,
    uuid: collection.uuid,
    name: collection.name,
    handle: collection.handle ?? null,
    metadata: named(face, collection.name, collection.handle),
    archivedItemsCount: face.switches.countItems ? face.repository.archivedIn(collection) : -1,
    ...typed(face, 'collection', 'core'),
    ...json,
  };
}

function communityJson(face: Face, community: Community): Json {
  const names = ['collections', 'logo', 'subcommunities', 'parentCommunity', 'adminGroup'];
  return {
    id: community.uuid,
    uuid: community.uuid,
    name: community.name,
    handle: community.handle ?? null,
    metadata: named(face, community.name, community.handle),
    archivedItemsCount: face.switches.countItems ? face.repository.archivedIn(community) : -1,
    ...typed(face, 'community', 'core'),
    ...links(face, `/core/communities/${community.uuid}`, names),
  };
}

function bundleJson(face: Face, { bundle }: Extract<Resource, { type: 'bundle' }>): Json {
  return {
    uuid: bundle.uuid,
    name: bundle.name,
    handle: null,
    metadata: named(face, bundle.name),
    ...typed(face, 'bundle', 'core'),
    ...links(face, `/core/bundles/${bundle.uuid}`, ['item', 'bitstreams', 'primaryBitstream']),
  };
}

function bitstreamJson(face: Face, { bundle, bitstream }: Extract<Resource, { type: 'bitstream' }>): Json {
  const content = bitstream.content();
  const metadata: Metadata = { 'dc.source': [plain(bitstream.name)], 'dc.title': [plain(bitstream.name)] };
  if (bitstream.description !== undefined) metadata['dc.description'] = [plain(bitstream.description)];
  const access = face.profile.bitstreamAccess && face.switches.accessStatus ? ['accessStatus'] : [];
  return {
    id: bitstream.uuid,
    uuid: bitstream.uuid,
    name: bitstream.name,
    handle: null,
    metadata: metadataJson(face, metadata, undefined),
    bundleName: bundle.name,
    sizeBytes: content.length,
    checkSum: { checkSumAlgorithm: 'MD5', value: md5(content) },
    sequenceId: bitstream.sequence,
    ...typed(face, 'bitstream', 'core'),
    ...links(face, `/core/bitstreams/${bitstream.uuid}`, [
      'content',
      'bundle',
      ...access,
      'format',
      'thumbnail',
    ]),
  };
}

const formats: readonly (readonly [string, string, string])[] = [
  ['application/octet-stream', 'Unknown', ''],
  ['text/plain', 'Text', 'txt'],
  ['text/csv', 'CSV', 'csv'],
  ['application/pdf', 'Adobe PDF', 'pdf'],
  ['image/jpeg', 'JPEG', 'jpg'],
];

export function formatNumber(mimeType: string): number {
  return (
    Math.max(
      0,
      formats.findIndex(([type]) => type === mimeType),
    ) + 1
  );
}

export function mimeTypeOf(number: number): string | undefined {
  return formats[number - 1]?.[0];
}

export function formatName(mimeType: string): string {
  return formats[formatNumber(mimeType) - 1]?.[1] ?? 'Unknown';
}

function formatJson(face: Face, mimeType: string): Json {
  const number = formatNumber(mimeType);
  const [, name, extension] = formats[number - 1] ?? ['', 'Unknown', ''];
  return {
    id: number,
    shortDescription: name,
    description: `${name} document`,
    mimetype: mimeType,
    supportLevel: number === 1 ? 'UNKNOWN' : 'KNOWN',
    internal: false,
    extensions: extension === '' ? [] : [extension],
    ...typed(face, 'bitstreamformat', 'core'),
    ...links(face, `/core/bitstreamformats/${number}`, []),
  };
}

function accessStatusJson(face: Face, { self, read }: Extract<Resource, { type: 'accessStatus' }>): Json {
  const [status, until] = accessOf(read, face.repository.now());
  return {
    status,
    ...(face.profile.embargoDate && { embargoDate: until ?? null }),
    ...typed(face, 'accessStatus', 'core'),
    ...links(face, self, []),
  };
}

/** In the words of DSpace; for everybody who has not logged in. */
export function accessOf(read: ReadPolicy | undefined, now: number): [string, string?] {
  if (read === undefined) return ['metadata.only'];
  if (isOpen(read, now)) return ['open.access'];
  return typeof read === 'object' && 'embargoUntil' in read ? ['embargo', read.embargoUntil] : ['restricted'];
}

function identifiersJson(face: Face, item: Item): Json {
  const identifier = (value: string, identifierType: string, identifierStatus: string | null) => ({
    id: value,
    value,
    identifierType,
    identifierStatus,
    ...typed(face, 'identifier', 'pid'),
  });
  const identifiers: Json[] = [];
  if (item.number % 5 === 1) {
    const status = item.number % 2 === 0 ? 'TO_BE_REGISTERED' : 'REGISTERED';
    identifiers.push(identifier(`https://doi.org/10.5072/sim/${item.number}`, 'doi', status));
  }
  if (item.handle !== undefined)
    identifiers.push(identifier(`${face.repository.handleServer}/${item.handle}`, 'handle', null));
  return {
    id: null,
    identifiers,
    ...typed(face, 'identifiers', 'null'),
    ...links(face, `/core/items/${item.uuid}/identifiers`, []),
  };
}

function versionJson(face: Face, version: Version, viewer: Viewer): Json {
  return {
    id: version.id,
    version: version.number,
    created: instant(face.profile, version.createdAt),
    summary: version.summary,
    ...(viewer?.admin === true && { submitterName: 'Administrator' }),
    ...typed(face, 'version', 'versioning'),
    ...links(face, `/versioning/versions/${version.id}`, ['versionhistory', 'item']),
  };
}

function relationshipJson(face: Face, { id, left, right }: Relationship): Json {
  const json = links(face, `/core/relationships/${id}`, ['relationshipType']);
  json._links.leftItem = { href: `${face.api}/core/items/${left.uuid}` };
  json._links.rightItem = { href: `${face.api}/core/items/${right.uuid}` };
  return {
    id,
    leftPlace: 1,
    leftwardValue: null,
    rightPlace: 1,
    rightwardValue: null,
    ...typed(face, 'relationship', 'core'),
    ...json,
  };
}

function relationshipTypeJson(face: Face): Json {
  const json = links(face, '/core/relationshiptypes/1', []);
  json._links.leftType = { href: `${face.api}/core/entitytypes/1` };
  json._links.rightType = { href: `${face.api}/core/entitytypes/2` };
  return {
    id: 1,
    leftwardType: 'isAuthorOfPublication',
    rightwardType: 'isPublicationOfAuthor',
    leftMinCardinality: 0,
    leftMaxCardinality: null,
    rightMinCardinality: 0,
    rightMaxCardinality: null,
    ...typed(face, 'relationshiptype', 'core'),
    ...json,
  };
}
