import { createHash } from 'node:crypto';
import type { SourceFile, SourceItem, SourceMetadata } from './adapter.ts';
import type { DesiredResource, Link } from './resource.ts';
import { collectionPath, filePath, itemPath, metadataPath } from './uris.ts';

/** What an item should be published as: pure, so that the same item always maps to the same resources. */
export interface MappedItem {
  readonly identifier: string;
  readonly datestamp: string | undefined;
  readonly collections: readonly string[];
  /** Within these the store makes the item's resources equal to `resources`; nothing else is touched. */
  readonly speaksFor: SourceItem['speaksFor'];
  readonly deleted: boolean;
  readonly resources: readonly DesiredResource[];
}

export function mapItem(source: string, item: SourceItem): MappedItem {
  const { identifier, datestamp, collections, speaksFor, deleted } = item;
  const resources = deleted
    ? []
    : [
        ...item.metadata.map((metadata) => mapMetadata(source, item, metadata)),
        ...item.files.map((file) => mapFile(source, item, file)),
      ];
  return { identifier, datestamp, collections, speaksFor, deleted, resources };
}

const metadataType = 'application/xml';

function mapMetadata(source: string, item: SourceItem, metadata: SourceMetadata): DesiredResource {
  return {
    path: metadataPath(source, item.identifier, metadata.format),
    kind: 'metadata',
    format: metadata.format,
    mediaType: metadataType,
    length: metadata.content.byteLength,
    hash: sha256(metadata.content),
    content: metadata.content,
    upstreamUrl: metadata.upstreamUrl,
    links: [
      ...describes(source, item),
      ...(metadata.profile === undefined ? [] : [{ rel: 'profile', href: metadata.profile }]),
      { rel: 'canonical', href: itemPath(source, item.identifier) },
      ...alternates(source, item, metadata.format),
      ...via(metadata.upstreamUrl),
      ...collectionLinks(source, item),
    ],
  };
}

/** The item's files, or, while it has none, its page for people (RS-LN-16). */
function describes(source: string, item: SourceItem): Link[] {
  if (item.files.length > 0) {
    return item.files.map((file) => ({ rel: 'describes', href: pathOfFile(source, item, file) }));
  }
  return item.landingPage === undefined ? [] : [{ rel: 'describes', href: item.landingPage }];
}

/** The other formats, as far as this delivery knows them (RS-LN-07). */
function alternates(source: string, item: SourceItem, except: string): Link[] {
  return item.metadata
    .filter(({ format }) => format !== except)
    .map(({ format }) => ({
      rel: 'alternate',
      href: metadataPath(source, item.identifier, format),
      type: metadataType,
    }));
}

/** Where it was made from (RS-LN-26), if everybody may know and follow it: no credentials, no other scheme. */
function via(upstreamUrl: string | undefined): Link[] {
  return upstreamUrl !== undefined && /^https?:\/\/[^/?#@\\\s]+(?:[/?#]\S*)?$/i.test(upstreamUrl)
    ? [{ rel: 'via', href: upstreamUrl }]
    : [];
}

function mapFile(source: string, item: SourceItem, file: SourceFile): DesiredResource {
  return {
    path: pathOfFile(source, item, file),
    kind: 'file',
    format: 'file',
    mediaType: file.mediaType,
    length: file.length,
    hash: file.hash,
    upstreamUrl: file.url,
    links: [
      ...item.metadata.map(({ format }) => ({
        rel: 'describedby',
        href: metadataPath(source, item.identifier, format),
      })),
      ...via(file.url),
      ...collectionLinks(source, item),
    ],
  };
}

function pathOfFile(source: string, item: SourceItem, file: SourceFile): string {
  return filePath(source, item.identifier, file.sequence, file.name);
}

function collectionLinks(source: string, item: SourceItem): Link[] {
  return item.collections.map((spec) => ({ rel: 'collection', href: collectionPath(source, spec) }));
}

function sha256(content: Uint8Array): string {
  return `sha-256:${createHash('sha256').update(content).digest('hex')}`;
}
