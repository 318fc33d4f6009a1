import { toUri } from '../../core/uris.ts';
import { type MapForm, mapTypes, oreTerms } from '../../oai/ore/resource-map.ts';
import type { ServedResource } from '../../store/reading/resources.ts';
import type { HeaderLink } from './link-header.ts';

/**
 * FAIR Signposting, level 2 (signposting.org/FAIR): an item's page leads to its files and to what describes it, each
 * of these leads back to the page, and all of them to the item's link set. `profile` says what XML it is.
 */

/** What a landing page, and its link set, are about. */
export interface SignpostedItem {
  /** Of its page, which stands for it. */
  readonly uri: string;
  readonly citeAs?: string | undefined;
  readonly metadata: readonly LinkTarget[];
  /** Its Resource Maps (OAI-ORE). */
  readonly maps: readonly LinkTarget[];
  readonly files: readonly LinkTarget[];
  readonly collections: readonly string[];
}

export interface LinkTarget {
  readonly uri: string;
  readonly mediaType?: string | undefined;
  readonly profile?: string | undefined;
}

/** All that leads from one place somewhere. */
export interface LinkContext {
  readonly anchor: string;
  readonly links: readonly HeaderLink[];
}

export function landingPageLinks({
  citeAs,
  metadata,
  maps,
  files,
  collections,
}: SignpostedItem): HeaderLink[] {
  return [
    ...(citeAs === undefined ? [] : [{ rel: 'cite-as', href: citeAs }]),
    { rel: 'type', href: 'https://schema.org/AboutPage' },
    ...[...metadata, ...maps].map((target) => toLink('describedby', target)),
    ...files.map((target) => ({ ...toLink('item', target), many: true })),
    ...collections.map((href) => ({ rel: 'collection', href })),
  ];
}

/** @param uri of the item's page */
export function linksetLinks(uri: string): readonly HeaderLink[] {
  return [
    { rel: 'linkset', href: `${uri}/linkset`, type: 'application/linkset' },
    { rel: 'linkset', href: `${uri}/linkset.json`, type: 'application/linkset+json' },
  ];
}

/** URI-A: what an item's Resource Maps describe. @param uri of the item's page */
export function aggregationUri(uri: string): string {
  return `${uri}/aggregation`;
}

/** What follows the address of an item in that of its Resource Map, which no metadata has. */
export const mapNames: Readonly<Record<MapForm, string>> = {
  atom: 'resourcemap.atom',
  json: 'resourcemap.jsonld',
};

/** `profile` says what they are: `resourcemap` is no registered relation. @param uri of the item's page */
export function resourceMapTargets(uri: string): readonly LinkTarget[] {
  return (['atom', 'json'] as const).map((form) => ({
    uri: `${uri}/${mapNames[form]}`,
    mediaType: mapTypes[form],
    profile: oreTerms,
  }));
}

/** Back to the page of its item: `collection` from a file, `describes` from metadata. */
export function backLink({ kind }: Pick<ServedResource, 'kind'>, uri: string): HeaderLink {
  return { rel: kind === 'file' ? 'collection' : 'describes', href: uri, type: 'text/html' };
}

/** Everything about an item, one context after the other: there may be thousands. */
export function* linkContexts(item: SignpostedItem): Generator<LinkContext> {
  yield { anchor: item.uri, links: landingPageLinks(item) };
  for (const { uri } of [...item.metadata, ...item.maps])
    yield { anchor: uri, links: [backLink({ kind: 'metadata' }, item.uri)] };
  for (const { uri } of item.files) yield { anchor: uri, links: [backLink({ kind: 'file' }, item.uri)] };
}

export function toLink(rel: string, { uri, mediaType, profile }: LinkTarget): HeaderLink {
  return { rel, href: uri, type: mediaType, profile };
}

export function toTarget(baseUrl: string, { path, mediaType, links }: ServedResource): LinkTarget {
  return {
    uri: toUri(baseUrl, path),
    mediaType,
    profile: links.find(({ rel }) => rel === 'profile')?.href,
  };
}

/** The persistent identifier that a landing page's address is, if it is one. */
export function citeAsOf(landingPages: readonly (string | undefined)[]): string | undefined {
  for (const page of landingPages) {
    const [, doi] = /^https?:\/\/(?:dx\.)?doi\.org\/(10\.\d{4,9}\/\S+)$/i.exec(page ?? '') ?? [];
    if (doi !== undefined) return `https://doi.org/${doi}`;
    const [, handle] = /^https?:\/\/hdl\.handle\.net\/([\w.]+\/\S+)$/i.exec(page ?? '') ?? [];
    if (handle !== undefined) return `https://hdl.handle.net/${handle}`;
  }
  return undefined;
}
