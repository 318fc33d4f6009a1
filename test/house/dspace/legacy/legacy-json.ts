import { partId } from '../ids.ts';
import { type Bitstream, type Collection, type Community, type Item, md5 } from '../model.ts';
import type { Repository } from '../repository.ts';
import { formatName } from '../rest/rest-json.ts';
import { mayReadContent, type Viewer } from '../viewer.ts';

export type LegacyVersion = '5' | '6';

export interface LegacyFace {
  readonly repository: Repository;
  readonly version: LegacyVersion;
  /** Before every `link`: `/rest`, `/RESTapi`, `/econis-archiv/rest`. */
  readonly linkPrefix: string;
  /** Before every retrieveLink; 5 has none unless it has a context of its own. */
  readonly retrievePrefix: string;
  /** IANA; in which times are stated, without saying so. */
  readonly timeZone: string;
  /** Of late 6.x: schema, element and qualifier beside the key. */
  readonly metadataParts: boolean;
}

export interface LegacyLook {
  readonly viewer: Viewer;
  readonly expand: ReadonlySet<string>;
}

type Json = Record<string, unknown>;

/** `id` (a number) in 5, `uuid` in 6. */
export function legacyId(face: LegacyFace, thing: { uuid: string; number: number }): string {
  return face.version === '5' ? String(thing.number) : thing.uuid;
}

/** The number of a bitstream in 5: it leads back to its item. */
export function bitstreamNumber(item: Item, bitstream: Bitstream): number {
  return item.number * 65_536 + Number.parseInt(bitstream.uuid.slice(9, 13), 16);
}

export function bitstreamUuid(number: number): string {
  return partId(Math.floor(number / 65_536), number % 65_536);
}

function head(
  face: LegacyFace,
  kind: 'item' | 'collection' | 'community' | 'bitstream',
  thing: { id: string; name: string; handle: string | undefined },
  open: readonly string[],
): Json {
  const link = `${face.linkPrefix}/${kind === 'community' ? 'communities' : `${kind}s`}/${thing.id}`;
  return {
    ...(face.version === '5' ? { id: Number(thing.id) } : { uuid: thing.id }),
    name: thing.name,
    handle: thing.handle ?? null,
    type: kind,
    link,
    expand: open,
  };
}

/** What could still be expanded. */
function remaining(names: readonly string[], { expand }: LegacyLook): string[] {
  if (expand.has('all')) return [];
  return [...names.filter((name) => !expand.has(name)), 'all'];
}

const wants = ({ expand }: LegacyLook, name: string): boolean => expand.has(name) || expand.has('all');
const nothing: LegacyLook = { viewer: undefined, expand: new Set() };

export function itemJson(face: LegacyFace, item: Item, look: LegacyLook): Json {
  const names = ['metadata', 'parentCollection', 'parentCollectionList', 'parentCommunityList', 'bitstreams'];
  const { name, handle } = item;
  const collections = [item.collection, ...item.mapped];
  const bitstreams = wants(look, 'bitstreams')
    ? readable(face, item, look).map((bitstream) => bitstreamJson(face, item, bitstream))
    : null;
  return {
    ...head(face, 'item', { id: legacyId(face, item), name, handle }, remaining(names, look)),
    lastModified: localTime(item.lastModified, face.timeZone),
    parentCollection: wants(look, 'parentCollection') ? collectionJson(face, item.collection, nothing) : null,
    parentCollectionList: wants(look, 'parentCollectionList')
      ? collections.map((collection) => collectionJson(face, collection, nothing))
      : null,
    parentCommunityList: wants(look, 'parentCommunityList')
      ? ancestors(item.collection).map((community) => communityJson(face, community, nothing))
      : null,
    ...(wants(look, 'metadata')
      ? { metadata: metadataJson(face, item, look) }
      : face.version === '6' && { metadata: null }),
    bitstreams,
    archived: String(item.inArchive),
    withdrawn: String(item.withdrawn),
  };
}

/** Those the viewer may read, of all bundles. */
export function readable({ repository }: LegacyFace, item: Item, { viewer }: LegacyLook): Bitstream[] {
  return item.bitstreams.filter((bitstream) => mayReadContent(item, bitstream, viewer, repository.now()));
}

export function metadataJson(face: LegacyFace, item: Item, { viewer }: LegacyLook): Json[] {
  return Object.entries(item.metadata)
    .filter(([key]) => viewer?.admin === true || key !== 'dc.description.provenance')
    .flatMap(([key, values]) =>
      values.map(({ value, language }) => {
        const [schema, element, qualifier] = key.split('.');
        const parts = face.metadataParts ? { schema, element, qualifier: qualifier ?? null } : {};
        return { key, value, language, ...parts };
      }),
    );
}

export function bitstreamJson(face: LegacyFace, item: Item, bitstream: Bitstream): Json {
  const id = face.version === '5' ? String(bitstreamNumber(item, bitstream)) : bitstream.uuid;
  const bundle = item.bundles.find(({ bitstreams }) => bitstreams.includes(bitstream))?.name;
  const content = bitstream.content();
  return {
    ...head(face, 'bitstream', { id, name: bitstream.name, handle: undefined }, [
      'parent',
      'policies',
      'all',
    ]),
    bundleName: bundle ?? bundleOf(item, bitstream.uuid),
    description: bitstream.description ?? null,
    format: formatName(bitstream.mimeType),
    mimeType: bitstream.mimeType,
    sizeBytes: content.length,
    parentObject: null,
    retrieveLink: `${face.retrievePrefix}/bitstreams/${id}/retrieve`,
    checkSum: { value: md5(content), checkSumAlgorithm: 'MD5' },
    sequenceId: bitstream.sequence,
    policies: null,
  };
}

function bundleOf(item: Item, uuid: string): string | undefined {
  return item.bundles.find(({ bitstreams }) => bitstreams.some((bitstream) => bitstream.uuid === uuid))?.name;
}

const blankTexts = { copyrightText: '', introductoryText: '', shortDescription: '', sidebarText: '' };

export function collectionJson(face: LegacyFace, collection: Collection, look: LegacyLook): Json {
  const names = ['parentCommunityList', 'parentCommunity', 'items', 'license', 'logo'];
  const { name, handle, parent } = collection;
  return {
    ...head(face, 'collection', { id: legacyId(face, collection), name, handle }, remaining(names, look)),
    logo: null,
    parentCommunity: wants(look, 'parentCommunity') ? communityJson(face, parent, nothing) : null,
    parentCommunityList: wants(look, 'parentCommunityList')
      ? ancestors(collection).map((community) => communityJson(face, community, nothing))
      : [],
    items: [],
    license: null,
    ...blankTexts,
    numberItems: face.repository.archivedIn(collection),
  };
}

export function communityJson(face: LegacyFace, community: Community, look: LegacyLook): Json {
  const names = ['parentCommunity', 'collections', 'subCommunities', 'logo'];
  const { name, handle, parent } = community;
  return {
    ...head(face, 'community', { id: legacyId(face, community), name, handle }, remaining(names, look)),
    logo: null,
    parentCommunity:
      parent !== undefined && wants(look, 'parentCommunity') ? communityJson(face, parent, nothing) : null,
    ...blankTexts,
    countItems: face.repository.archivedIn(community),
    subcommunities: wants(look, 'subCommunities')
      ? community.communities.map((child) => communityJson(face, child, nothing))
      : [],
    collections: wants(look, 'collections')
      ? community.collections.map((collection) => collectionJson(face, collection, nothing))
      : [],
  };
}

export function hierarchyJson(face: LegacyFace): Json {
  const branch = (community: Community): Json => ({
    id: community.uuid,
    name: community.name,
    handle: community.handle ?? null,
    community: community.communities.map(branch),
    collection: community.collections.map(({ uuid, name, handle }) => ({
      id: uuid,
      name,
      handle: handle ?? null,
    })),
  });
  return {
    id: 'dfc7e72e-f947-4246-aae4-b375b93474af',
    name: 'Sample Repository',
    handle: `${face.repository.handlePrefix}/0`,
    community: face.repository.communities.filter(({ parent }) => parent === undefined).map(branch),
  };
}

function ancestors(collection: Collection): Community[] {
  const list: Community[] = [];
  for (let above: Community | undefined = collection.parent; above !== undefined; above = above.parent)
    list.push(above);
  return list;
}

/** As java.sql.Timestamp puts it: `2017-03-23 11:15:28.61`, in the zone of the server. */
export function localTime(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(at);
  const fraction = String(at % 1000)
    .padStart(3, '0')
    .replace(/0{1,2}$/, '');
  return `${parts}.${fraction}`;
}
