import { type Static, Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Description } from '../../core/descriptions/description.ts';
import { doiUri, handleUri } from '../../core/descriptions/persistent-identifiers.ts';
import { collectionPath, itemPath } from '../../core/uris.ts';
import { findItemAt, type StoredItem } from '../../store/reading/items.ts';
import type { StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { servedPath } from '../http/base-path.ts';
import { Refusal, type Trace } from '../http/errors.ts';
import { citeAsOf, resourceMapTargets, type SignpostedItem, toTarget } from '../http/signposting.ts';
import { describeItems } from './item-description.ts';
import { readItemPast } from './item-timeline.ts';
import { originalUri } from './timeline-view.ts';

export const itemParams = Type.Object({ source: Type.String(), item: Type.String() });
export type ItemParams = Static<typeof itemParams>;

/** An item that something is published of. */
export interface LivingItem {
  readonly item: StoredItem;
  readonly metadata: readonly StoredResource[];
  /** In the order that the upstream has them in. */
  readonly files: readonly StoredResource[];
  /** What its metadata says of it. */
  readonly description: Description | undefined;
  readonly signposted: SignpostedItem;
}

/**
 * The item that a request is about.
 * @param below what comes behind the item in the address
 * @throws Refusal `not-found`, `gone`
 */
export async function findLivingItem(
  deps: ServerDeps,
  request: FastifyRequest<{ Params: ItemParams }>,
  below = '',
): Promise<LivingItem> {
  const item = await lookUp(deps, request, below);
  if (!item || item.resources.length === 0) throw new Refusal('not-found', 'there is no such item');
  const living = item.resources.filter(({ deletedAt }) => deletedAt === undefined);
  if (living.length === 0) {
    const traces = await tracesOf(deps, item.resources);
    throw new Refusal('gone', 'everything of this item was deleted', {}, traces);
  }
  return toLivingItem(deps, item, living);
}

/** @param living of its resources */
export async function toLivingItem(
  deps: Pick<ServerDeps, 'baseUrl' | 'database' | 'directory'>,
  item: StoredItem,
  living: readonly StoredResource[],
): Promise<LivingItem> {
  const metadata = living.filter(({ kind }) => kind === 'metadata');
  const [description] = await describeItems(deps, [metadata]);
  return describedItem(deps, item, living, description);
}

/** Those of many items of which anything is published, their metadata read together. */
export async function toLivingItems(
  deps: Pick<ServerDeps, 'baseUrl' | 'database' | 'directory'>,
  items: readonly StoredItem[],
): Promise<readonly LivingItem[]> {
  const found = items.flatMap((item) => {
    const living = item.resources.filter(({ deletedAt }) => deletedAt === undefined);
    return living.length === 0 ? [] : { item, living };
  });
  const descriptions = await describeItems(
    deps,
    found.map(({ living }) => living.filter(({ kind }) => kind === 'metadata')),
  );
  return found.map(({ item, living }, index) => describedItem(deps, item, living, descriptions[index]));
}

function describedItem(
  deps: Pick<ServerDeps, 'baseUrl'>,
  item: StoredItem,
  living: readonly StoredResource[],
  description: Description | undefined,
): LivingItem {
  const metadata = living.filter(({ kind }) => kind === 'metadata');
  const files = living.filter(({ kind }) => kind === 'file').sort(bySequence);
  const signposted = signpost(deps.baseUrl, item, metadata, files);
  const citeAs = citeAsStated(description, signposted.citeAs);
  return { item, metadata, files, description, signposted: { ...signposted, citeAs } };
}

/** A DOI before all else, then the landing page where it has an address that stays, then a Handle that is only named. */
function citeAsStated(description: Description | undefined, ofPage: string | undefined): string | undefined {
  const { doi, handle } = description ?? {};
  if (doi !== undefined) return doiUri(doi);
  return ofPage ?? (handle === undefined ? undefined : handleUri(handle));
}

/** The TimeMaps of what is handed out of it still. */
async function tracesOf(deps: ServerDeps, resources: readonly StoredResource[]): Promise<readonly Trace[]> {
  const { versions } = await readItemPast(
    deps,
    resources.filter(({ kind }) => kind === 'metadata'),
  );
  return resources.flatMap(({ path, format }) => {
    const past = versions.get(path);
    return past ? [{ name: format, uri: originalUri(deps.baseUrl, path), timeMap: past.timeMap }] : [];
  });
}

async function lookUp(
  deps: ServerDeps,
  request: FastifyRequest<{ Params: ItemParams }>,
  below: string,
): Promise<StoredItem | undefined> {
  if (!servedPath(request)?.endsWith(below)) return undefined;
  const { source, item } = request.params;
  return findItemAt(deps.database.reader, source, item);
}

function signpost(
  baseUrl: string,
  { source, identifier, collections }: StoredItem,
  metadata: readonly StoredResource[],
  files: readonly StoredResource[],
): SignpostedItem {
  const uri = `${baseUrl}/${itemPath(source, identifier)}`;
  return {
    uri,
    citeAs: citeAsOf(landingPagesOf(metadata, files)),
    metadata: metadata.map((resource) => toTarget(baseUrl, resource)),
    maps: resourceMapTargets(uri),
    files: files.map((resource) => toTarget(baseUrl, resource)),
    collections: collections.map(({ spec }) => `${baseUrl}/${collectionPath(source, spec)}`),
  };
}

/** The pages upstream that the metadata names: in so many words, or as what it describes instead of files. */
export function landingPagesOf(
  metadata: readonly StoredResource[],
  files: readonly StoredResource[],
): readonly string[] {
  const ours = new Set(files.map(({ path }) => path));
  const described = metadata
    .flatMap(({ links, landingPage }) => [
      ...(landingPage === undefined ? [] : [{ rel: 'describes', href: landingPage }]),
      ...links,
    ])
    .filter(({ rel, href }) => rel === 'describes' && isAbsolute.test(href) && !ours.has(href));
  return [...new Set(described.map(({ href }) => href))];
}

const isAbsolute = /^[a-z][a-z0-9+.-]*:/i;

function bySequence(a: StoredResource, b: StoredResource): number {
  return sequenceOf(a) - sequenceOf(b);
}

/** Addresses elsewhere have none: they stay in the order of their paths. */
function sequenceOf({ path }: StoredResource): number {
  return Number(/\/files\/(\d+)-[^/]*$/.exec(path)?.[1] ?? 0);
}
