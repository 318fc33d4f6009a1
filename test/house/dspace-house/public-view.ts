import { collectionPath, itemPath, metadataPath } from '../../../src/core/uris.ts';
import {
  type Bitstream,
  type Collection,
  type Community,
  type Item,
  isOpen,
  type Metadata,
  md5,
  plain,
} from '../dspace/model.ts';
import type { Repository } from '../dspace/repository.ts';

/** What a resource says, in a form that does not depend on how documents are written. */
export interface Shown {
  readonly kind: 'metadata' | 'file';
  /** Paths of collections, sorted. */
  readonly collections: readonly string[];
  readonly says: unknown;
}

/** By path; files, whose addresses have a history of their own, by `fileKey`. */
export type Showing = ReadonlyMap<string, Shown>;

export function fileKey(item: string, bitstream: string): string {
  return `${item}/files/${bitstream}`;
}

/**
 * What everybody can reach in a browser at this moment, told from the model alone; of a fresh index.
 * @param which earlier versions are open to everybody, too, but not listed
 */
export function publicView(
  repository: Repository,
  source: string,
  which: 'listed' | 'readable' = 'listed',
): Showing {
  const shown = new Map<string, Shown>();
  const now = repository.now();
  for (const item of repository.items) {
    if (!isReadable(item, now) || (which === 'listed' && !item.isLatest)) continue;
    const identifier = identifierOf(item);
    const collections = keysOf(item, now)
      .map((key) => collectionPath(source, key))
      .sort();
    const fields = publicFields(item);
    const metadata = (format: string, says: unknown) =>
      shown.set(
        metadataPath(source, identifier, format, format === 'json' ? 'application/json' : undefined),
        {
          kind: 'metadata',
          collections,
          says,
        },
      );
    const titles = (item.metadata['dc.title'] ?? []).map(({ value }) => inXml(value));
    metadata('oai_dc', titles);
    metadata('qdc', titles);
    metadata('dim', inDim(fields));
    metadata('json', inJson(item, fields, now));
    for (const file of listedFiles(item, now)) {
      if (!isOpen(file.read, now)) continue;
      const content = file.content();
      shown.set(fileKey(itemPath(source, identifier), file.uuid), {
        kind: 'file',
        collections,
        says: { length: content.length, hash: `md5:${md5(content)}`, mediaType: file.mimeType },
      });
    }
  }
  return shown;
}

export function isPublic(item: Item, now: number): boolean {
  return isReadable(item, now) && item.isLatest;
}

function isReadable({ inArchive, withdrawn, discoverable, read }: Item, now: number): boolean {
  return inArchive && !withdrawn && discoverable && isOpen(read, now);
}

export function identifierOf({ handle, uuid }: Item): string {
  return handle === undefined ? uuid : `oai:repo.example.org:${handle}`;
}

/** What is in a bundle that is closed is not shown, whoever may read it. */
function listedFiles({ bundles }: Item, now: number): Bitstream[] {
  return bundles.flatMap(({ name, read, bitstreams }) =>
    name === 'ORIGINAL' && isOpen(read ?? 'anonymous', now) ? bitstreams : [],
  );
}

function isShown({ read }: Collection | Community, now: number): boolean {
  return isOpen(read ?? 'anonymous', now);
}

function keysOf({ collection, mapped }: Item, now: number): string[] {
  const keys = new Set<string>();
  for (const each of [collection, ...mapped]) {
    if (!isShown(each, now)) continue;
    keys.add(keyOf('col', each));
    let above: Community | undefined = each.parent;
    for (; above !== undefined && isShown(above, now); above = above.parent) keys.add(keyOf('com', above));
  }
  return [...keys];
}

function keyOf(kind: 'col' | 'com', { handle, uuid }: Collection | Community): string {
  return handle === undefined ? uuid : `${kind}_${handle.replaceAll('/', '_')}`;
}

/** Its own values and those of its relations, by name; not what nobody may see. */
function publicFields(item: Item): [string, Metadata[string]][] {
  const fields: Metadata = { ...item.metadata };
  const add = (field: string, value: string) => {
    fields[field] = [...(fields[field] ?? []), plain(value)];
  };
  for (const { left, right } of item.relationships ?? []) {
    if (left === item) {
      add('relation.isAuthorOfPublication', right.uuid);
      add('dc.contributor.author', right.name);
    } else add('relation.isPublicationOfAuthor', left.uuid);
  }
  return Object.entries(fields)
    .filter(([name]) => name !== 'dc.description.provenance' && name !== 'person.email')
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function inDim(fields: readonly [string, Metadata[string]][]): string[] {
  return fields.flatMap(([name, values]) =>
    values.map(({ value, language }) => `${name} [${language ?? ''}] ${inXml(value)}`),
  );
}

function inJson(item: Item, fields: readonly [string, Metadata[string]][], now: number): unknown {
  return {
    uuid: item.uuid,
    handle: item.handle ?? null,
    lastModified: `${new Date(item.lastModified).toISOString().slice(0, 19)}Z`,
    entityType: item.entityType,
    metadata: fields.flatMap(([name, values]) =>
      values.map(({ value, language }) => `${name} [${language ?? ''}] ${whole(value)}`),
    ),
    bitstreams: listedFiles(item, now).map((file) => {
      const content = file.content();
      return [file.uuid, file.name, content.length, md5(content), file.mimeType, file.sequence];
    }),
    collections: [
      ...[item.collection]
        .filter((collection) => isShown(collection, now))
        .map(({ uuid, name }) => [uuid, name]),
      ...item.mapped
        .filter((collection) => collection !== item.collection && isShown(collection, now))
        .map(({ uuid, name }) => [uuid, name])
        .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ],
  };
}

/** Without halves of characters. */
function whole(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '');
}

/** What cannot be in XML is left out, and lines end as a parser sees them end. */
function inXml(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '');
}
