import type { SameMetadata, SourceFile, SourceItem, SourceMetadata } from '../adapter.ts';
import type { PublishedFile } from '../files/published-files.ts';
import { sha256 } from '../payloads/sha-256.ts';
import type { DesiredResource, Link } from '../resource.ts';
import { hasSecret } from '../secrets.ts';
import { collectionPath, itemPath, metadataPath, xmlType } from '../uris.ts';
import { type MappedVersion, mapVersion } from './prior-versions.ts';

/**
 * What a delivery of an item should be published as: pure, so that the same delivery always maps to the same
 * resources. Links between metadata and files are not in it: they depend on everything that is known of the
 * item, and `describing`, `toFileResource` make them from that.
 */
export interface MappedItem {
  readonly identifier: string;
  readonly datestamp: string | undefined;
  readonly collections: readonly string[];
  /** Within these formats the store makes the item's metadata equal to `resources`; nothing else is touched. */
  readonly speaksFor: SourceItem['speaksFor'];
  readonly deleted: boolean;
  /** See `SourceItem.refused`. */
  readonly refused?: boolean | undefined;
  /** Metadata; `describes` leads to the landing page, if the delivery states one. */
  readonly resources: readonly DesiredResource[];
  /** As their origin states them. */
  readonly files: readonly SourceFile[];
  /** See `SourceItem.supplement`. */
  readonly supplement?: boolean | undefined;
  /** What it was before, oldest first; undefined: what is known of that stays. */
  readonly versions?: readonly MappedVersion[] | undefined;
  /** See `SourceItem.hiddenVersions`. */
  readonly hiddenVersions?: readonly number[] | undefined;
}

export function mapItem(source: string, item: SourceItem): MappedItem {
  const {
    identifier,
    datestamp,
    collections,
    speaksFor,
    deleted,
    refused,
    supplement,
    versions,
    hiddenVersions,
  } = item;
  return {
    identifier,
    datestamp,
    collections,
    speaksFor,
    deleted,
    ...(refused === true && { refused }),
    resources: deleted ? [] : mapAll(source, item),
    files: deleted ? [] : item.files,
    ...(supplement === true && { supplement }),
    ...(versions && { versions: versions.map(mapVersion) }),
    ...(hiddenVersions && { hiddenVersions }),
  };
}

function mapAll(source: string, item: SourceItem): readonly DesiredResource[] {
  return [
    ...item.metadata.map((metadata) => mapMetadata(source, item, metadata)),
    ...(item.same ?? []).map((same) => describeMetadata(source, item, same, same)),
  ];
}

function mapMetadata(source: string, item: SourceItem, metadata: SourceMetadata): DesiredResource {
  const { content, deflated } = metadata;
  const hash = metadata.hash ?? sha256(content);
  const described = describeMetadata(source, item, metadata, { hash, length: content.byteLength });
  return Object.assign(described, deflated ? { content, deflated } : { content });
}

function describeMetadata(
  source: string,
  item: SourceItem,
  metadata: Omit<SameMetadata, 'hash' | 'length'>,
  { length, hash }: Pick<SameMetadata, 'hash' | 'length'>,
): DesiredResource {
  const { mediaType = xmlType, format, lastModified } = metadata;
  return {
    path: metadataPath(source, item.identifier, format, mediaType),
    kind: 'metadata',
    format,
    mediaType,
    length,
    hash,
    ...(lastModified !== undefined && { lastModified }),
    upstreamUrl: metadata.upstreamUrl,
    landingPage: item.landingPage,
    links: [
      ...(item.landingPage === undefined ? [] : [{ rel: 'describes', href: item.landingPage }]),
      ...(metadata.profile === undefined ? [] : [{ rel: 'profile', href: metadata.profile }]),
      { rel: 'canonical', href: itemPath(source, item.identifier) },
      ...alternates(source, item, format),
      ...via(metadata.via ?? metadata.upstreamUrl),
      ...collectionLinks(source, item.collections),
    ],
  };
}

/**
 * The links of a metadata resource, describing its item's files, or, while there are none, the landing page
 * that it names (RS-LN-16).
 * @param files paths of the files
 */
export function describing(
  links: readonly Link[],
  files: readonly string[],
  landingPage: string | undefined,
): readonly Link[] {
  const targets = files.length > 0 ? files : landingPage === undefined ? [] : [landingPage];
  return [
    ...targets.map((href) => ({ rel: 'describes', href })),
    ...links.filter(({ rel }) => rel !== 'describes'),
  ];
}

/**
 * The other formats, where every delivery has them all (RS-LN-07); else a list would take the links away that one
 * record asked for by itself has brought.
 */
function alternates(source: string, item: SourceItem, except: string): Link[] {
  if (item.complete !== true) return [];
  return [...item.metadata, ...(item.same ?? [])]
    .filter(({ format }) => format !== except)
    .map(({ format, mediaType = xmlType }) => ({
      rel: 'alternate',
      href: metadataPath(source, item.identifier, format, mediaType),
      type: mediaType,
    }));
}

/** Where it was made from (RS-LN-26), if everybody may know and follow it: no credentials, no secret, no other scheme. */
function via(upstreamUrl: string | undefined): Link[] {
  return upstreamUrl !== undefined &&
    !hasSecret(upstreamUrl) &&
    /^https?:\/\/[^/?#@\\\s]+(?:[/?#]\S*)?$/i.test(upstreamUrl)
    ? [{ rel: 'via', href: upstreamUrl }]
    : [];
}

/** What a file's resource needs to know of its item. */
export interface FileOwner {
  readonly source: string;
  readonly identifier: string;
  readonly collections: readonly string[];
  /** Metadata that describes it, in order. */
  readonly describedBy: readonly MetadataTarget[];
}

/** Metadata as a link to it names it. */
export interface MetadataTarget {
  readonly path: string;
  readonly mediaType: string;
}

/**
 * @param path of the resource; in mode `link` the file's own URL, which needs no `via` unless the file states one
 * @param others metadata of other items that describes it, too
 */
export function toFileResource(
  owner: FileOwner,
  file: PublishedFile,
  path: string,
  others: readonly MetadataTarget[] = [],
): DesiredResource {
  const { source, collections, describedBy } = owner;
  const { url, mediaType, length, hash, lastModified } = file;
  // Where the upstream has it from; a file in mode `link` is its own origin otherwise.
  const origin = file.via ?? (path === url ? undefined : url);
  return {
    path,
    kind: 'file',
    format: 'file',
    mediaType,
    length,
    hash,
    lastModified,
    upstreamUrl: url,
    links: [
      ...[...describedBy, ...others].map((target) => ({
        rel: 'describedby',
        href: target.path,
        type: target.mediaType,
      })),
      ...via(origin),
      ...collectionLinks(source, collections),
    ],
  };
}

/** The same resource in other collections. */
export function inCollections(
  source: string,
  resource: DesiredResource,
  collections: readonly string[],
): DesiredResource {
  const others = resource.links.filter(({ rel }) => rel !== 'collection');
  return { ...resource, links: [...others, ...collectionLinks(source, collections)] };
}

function collectionLinks(source: string, collections: readonly string[]): Link[] {
  // The order in which a header names its sets means nothing, and is not always the same.
  const sorted = isSorted(collections) ? collections : [...collections].sort();
  return sorted.map((spec) => ({ rel: 'collection', href: collectionPath(source, spec) }));
}

function isSorted(texts: readonly string[]): boolean {
  for (let index = 1; index < texts.length; index += 1)
    if ((texts[index - 1] as string) > (texts[index] as string)) return false;
  return true;
}
