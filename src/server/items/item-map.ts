import { isAbsolute, toUri } from '../../core/uris.ts';
import type { AggregatedResource, ResourceMap } from '../../oai/ore/resource-map.ts';
import type { StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { fileName } from '../files/file-headers.ts';
import { encodeTarget } from '../http/link-header.ts';
import { aggregationUri, mapNames } from '../http/signposting.ts';
import { type LivingItem, landingPagesOf } from './living-item.ts';

/**
 * The Resource Map of an item: its files and metadata as everybody may have them here. The page is not among what is
 * aggregated, because a DSpace that harvests makes a file of whatever is.
 * @param changedAt when something of it changed last, as far as the journal tells
 */
export function toResourceMap(
  { baseUrl, title }: Pick<ServerDeps, 'baseUrl' | 'title'>,
  { item, metadata, files, description, signposted }: LivingItem,
  changedAt: string | undefined,
): ResourceMap {
  const { uri, citeAs } = signposted;
  const aggregated = [...files, ...metadata].flatMap((one) => aggregatedOf(baseUrl, one) ?? []);
  return {
    aggregation: aggregationUri(uri),
    maps: { atom: `${uri}/${mapNames.atom}`, json: `${uri}/${mapNames.json}` },
    title: description?.title ?? { text: item.identifier, language: undefined },
    authors: description?.creators ?? [],
    similarTo: citeAs === undefined ? undefined : encodeTarget(citeAs),
    page: pageFor(uri, files, landingPagesOf(metadata, files)),
    creator: { name: title, uri: `${baseUrl}/` },
    modified: changedAt ?? latest([...metadata, ...files]),
    aggregated,
  };
}

/** Undefined: no client could ask for it. */
function aggregatedOf(baseUrl: string, resource: StoredResource): AggregatedResource | undefined {
  const { path, kind, format, mediaType, length, lastmod, hash, links } = resource;
  const uri = encodeTarget(toUri(baseUrl, path));
  if (!isWeb(uri)) return undefined;
  const profile = links.find(({ rel }) => rel === 'profile')?.href;
  return {
    uri,
    kind,
    title: kind === 'file' ? fileName(path) : format,
    mediaType,
    length,
    modified: lastmod,
    hash,
    profile: profile === undefined ? undefined : encodeTarget(profile),
  };
}

/**
 * A DSpace can be told to download only from the host that the page is at (`oai.harvester.ore.file.validateUrlPrefix`):
 * of files that are with the repository, its own page.
 */
function pageFor(
  uri: string,
  files: readonly Pick<StoredResource, 'path'>[],
  landingPages: readonly string[],
): string {
  const origins = new Set(files.flatMap(({ path }) => (isAbsolute(path) ? [originOf(path)] : [])));
  const there = landingPages.find((page) => isWeb(page) && origins.has(originOf(page)));
  return there === undefined ? uri : encodeTarget(there);
}

function originOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).origin : undefined;
}

function isWeb(uri: string): boolean {
  return /^https?:\/\//i.test(uri);
}

function latest(resources: readonly Pick<StoredResource, 'lastmod'>[]): string {
  return resources.map(({ lastmod }) => lastmod).reduce((one, other) => (one > other ? one : other));
}
