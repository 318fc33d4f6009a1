import { BridgeError, isBridgeError } from '../../core/errors.ts';
import type { Capability } from '../reading/capability.ts';
import { headOf } from '../reading/document-head.ts';
import type { Remarks } from '../reading/remarks.ts';
import type { Member, SourceDocument } from '../reading/source-document.ts';
import { beginningOf, type SourcePort } from '../source-port.ts';
import { type Look, look, wellKnownPath } from './look.ts';
import { type NotingPort, notingPort } from './noting-port.ts';
import { type RobotsReading, sitemapsNamed, textSitemap, unreadSitemap } from './robots-sitemaps.ts';

/** What a set can be followed by, as its Capability List names it: documents or indexes, told apart by their roots. */
export interface SourceSet {
  /** Of its Capability List; where there is none, of the document that stands for it. */
  readonly uri: string;
  readonly hasCapabilityList: boolean;
  readonly lists: Readonly<Record<ListCapability, readonly string[]>>;
  /** Where its lists are the Sitemaps that a robots.txt names. */
  readonly robots?: RobotsReading;
}

/** What a set has that is of no use. */
export const nothingToFollow = 'no list that can be followed (archives of lists are not read)';

export type ListCapability = 'resourcelist' | 'changelist' | 'resourcedump' | 'changedump';

export interface FoundSource {
  /** Capability Lists, or documents that belong to none. */
  readonly sets: readonly string[];
  /** Sets of the host that an address that does not answer with 200 has nothing to do with. */
  readonly elsewhere: readonly string[];
  /** What each address answered. */
  readonly statuses: ReadonlyMap<string, number>;
  /** Every address that was asked for. */
  readonly looked: readonly string[];
  /** Those of them that answered with a web page, where a document was expected. */
  readonly pages: readonly string[];
  /** All Sitemaps of the robots.txt as one set, where it names several, and they are what was found. */
  readonly ofRobots: SourceSet | undefined;
  /** What robots.txt names and cannot be read, each with why. */
  readonly unread: readonly string[];
}

/** Sets of one host; who has more is asked to be told which. */
const maximumSets = 10_000;
const maximumClimb = 5;
const robotsPath = '/robots.txt';
const maximumParts = 100;

/**
 * From what somebody typed to the sets of a Source: the address itself, the well-known URI below it, what a page or its
 * header links to, the well-known URI of the host, the Sitemaps of robots.txt; from any document upwards. Where there is
 * nothing at the address, or it is refused, the sets of its host count that lie there.
 * @returns no sets where nothing was found
 * @throws BridgeError where the host cannot be reached; `upstream-html` where the address is that of a document, and a
 * web page without a link to one is there: another set than the one that was meant is no help
 */
export async function findSource(address: URL, port: SourcePort, remarks: Remarks): Promise<FoundSource> {
  const search = new Search(port, remarks);
  const { href, origin, pathname, search: query } = address;
  const host = `${origin}${wellKnownPath}`;
  // Of a bare host the page is of no interest as long as it has a Source.
  if (pathname === '/' && query === '') await search.tryDocument(host);
  const isRobots = pathname === robotsPath;
  if (isRobots) await search.tryRobots(href);
  const seen = isRobots || search.sets.length > 0 ? undefined : await search.lookAt(href);
  if (seen?.isPage && seen.status === 200 && seen.advertised.length === 0) {
    if (isOfDocument(pathname)) throw insteadOfDocument(address);
    search.pages.push(href);
  }
  const own = `${origin}${pathname.replace(/\/$/, '')}`;
  await search.trySome([`${own}${wellKnownPath}`]);
  const isMissing = seen !== undefined && seen.status !== 200 && pathname !== '/';
  const isThere = (uri: string) => !isMissing || (seen.status !== 401 && isAtOrBelow(uri, own));
  const hasOwn = search.sets.length > 0;
  const advertised = seen?.advertised.map(({ target }) => target) ?? [];
  // A page that says that nothing is there may have the links of all pages.
  await search.trySome([...advertised.filter(isThere), host]);
  if (search.sets.length === 0 && !isRobots) await search.tryRobots(`${origin}${robotsPath}`);
  const { sets: all, looked, pages, statuses } = search;
  const unread = [...search.faults, ...search.unread];
  const sets = hasOwn ? all : all.filter(isThere);
  const elsewhere = all.filter((uri) => !sets.includes(uri));
  if (sets.length > 0 && pages.includes(href) && pathname !== '/')
    remarks.at(href)(
      'RS-GEN-19',
      'it is a web page, and no list: the Source was found elsewhere at its host',
    );
  const ofRobots = sets.length === all.length ? search.ofRobots : undefined;
  return { sets, elsewhere, statuses, looked, pages, ofRobots, unread };
}

/** @param place without a slash at its end */
function isAtOrBelow(uri: string, place: string): boolean {
  return uri === place || uri.startsWith(`${place}/`);
}

function isOfDocument(pathname: string): boolean {
  return /\.xml(?:\.gz)?$|\/\.well-known\/resourcesync$/i.test(pathname);
}

function insteadOfDocument({ href, origin }: URL): BridgeError {
  return new BridgeError(
    'upstream-html',
    `${href} answers with a web page, and with no list; nothing was changed. Try again later if it is a login or under maintenance, or name the Source instead: ${origin}/`,
  );
}

/** The Sitemaps that a robots.txt names, as one set; undefined where they are none, or part of something better. */
export async function readRobots(
  uri: string,
  port: SourcePort,
  remarks: Remarks,
): Promise<SourceSet | undefined> {
  const search = new Search(port, remarks);
  await search.tryRobots(uri);
  return search.ofRobots;
}

/** Reads what a Capability List names; of a document that belongs to none, what that is good for. */
export async function readSet(uri: string, port: SourcePort, remarks: Remarks): Promise<SourceSet> {
  const document = await headOf(uri, port, remarks.at(uri));
  const named: Record<ListCapability, string[]> = {
    resourcelist: [],
    changelist: [],
    resourcedump: [],
    changedump: [],
  };
  const hasCapabilityList = document.capability === 'capabilitylist';
  const entries = hasCapabilityList
    ? await offeredBy(document, port, remarks)
    : [{ uri, capability: document.capability }];
  for (const { uri: list, capability } of entries) {
    if (isListCapability(capability)) named[capability].push(list);
  }
  return { uri, hasCapabilityList, lists: named };
}

/** What a Capability List names; of an index of them, what all of its parts do. */
async function offeredBy(
  { isIndex, members }: SourceDocument,
  port: SourcePort,
  remarks: Remarks,
): Promise<SourceDocument['members']> {
  if (!isIndex) return members;
  const named: Member[] = [];
  for (const { uri } of members.slice(0, maximumParts)) {
    const part = await headOf(uri, port, remarks.at(uri));
    if (!part.isIndex) named.push(...part.members);
  }
  return named;
}

function isListCapability(capability: Capability | undefined): capability is ListCapability {
  return capability !== undefined && /^(?:resource|change)(?:list|dump)$/.test(capability);
}

class Search {
  sets: readonly string[] = [];
  readonly looked: string[] = [];
  readonly pages: string[] = [];
  readonly unread: string[] = [];
  readonly faults: string[] = [];
  ofRobots: SourceSet | undefined;
  readonly #port: NotingPort;
  readonly #remarks: Remarks;
  readonly #failed = new Set<string>();

  constructor(port: SourcePort, remarks: Remarks) {
    this.#port = notingPort(port);
    this.#remarks = remarks;
  }

  get statuses(): ReadonlyMap<string, number> {
    return this.#port.statuses;
  }

  /** @returns what is there, where it is no document */
  async lookAt(uri: string): Promise<Look | undefined> {
    this.#note(uri);
    const seen = await look(uri, this.#port);
    if (seen.isListOfAddresses) throw new BridgeError('upstream-protocol', textSitemap(uri));
    // What is no page is meant to be a document, and may be a broken one.
    if (!seen.isDocument && (seen.isPage || seen.status !== 200)) return seen;
    this.sets = await this.#setsOf(await headOf(uri, this.#port, this.#remarks.at(uri)));
    return undefined;
  }

  async tryDocument(uri: string): Promise<void> {
    if (this.#failed.has(uri)) return;
    this.#note(uri);
    const document = await this.#head(uri);
    if (document !== undefined) this.sets = await this.#setsOf(document);
  }

  /** One after the other, until sets are found. */
  async trySome(uris: readonly string[]): Promise<void> {
    for (const uri of uris) {
      if (this.sets.length === 0) await this.tryDocument(uri);
    }
  }

  /** A Resource List leads upwards; Sitemaps that lead nowhere will do where there is nothing else. */
  async tryRobots(robots: string): Promise<void> {
    this.#note(robots);
    const named = sitemapsNamed(await this.#textOf(robots), robots);
    const plain: SourceDocument[] = [];
    for (const uri of named) {
      const document = await this.#head(uri, async (error) => {
        const status = this.statuses.get(uri);
        const { isForGood, why } = await unreadSitemap({ uri, status, error }, () => this.#textOf(uri));
        (isForGood ? this.unread : this.faults).push(why);
      });
      if (document === undefined) continue;
      if (document.up === undefined) plain.push(document);
      else this.sets = await this.#setsOf(document);
      if (this.sets.length > 0) return;
    }
    this.sets = plain.map(({ uri }) => uri);
    this.#join(plain, { uri: robots, named: named.length, unread: this.unread, faults: this.faults });
  }

  /** The Sitemaps of a host are one list, which it has cut into pieces. */
  #join([first, ...others]: readonly SourceDocument[], robots: RobotsReading): void {
    if (first === undefined || robots.named < 2) return;
    const all = [first, ...others];
    if (all.some(({ capability }) => capability !== 'resourcelist')) return;
    const lists = { resourcelist: urisOf(all), changelist: [], resourcedump: [], changedump: [] };
    this.ofRobots = { uri: first.uri, hasCapabilityList: false, lists, robots };
  }

  #note(uri: string): void {
    if (!this.looked.includes(uri)) this.looked.push(uri);
  }

  async #textOf(uri: string): Promise<string> {
    try {
      const response = await this.#port.get(uri, 'document');
      const text = await beginningOf(response, 512 * 1024);
      return response.status === 200 ? text : '';
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      return '';
    }
  }

  /** Undefined where nothing is there that can be read. */
  async #head(
    uri: string,
    failed?: (error: BridgeError) => Promise<void>,
  ): Promise<SourceDocument | undefined> {
    try {
      return await headOf(uri, this.#port, this.#remarks.at(uri));
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      if (error.code === 'upstream-html') this.pages.push(uri);
      this.#failed.add(uri);
      await failed?.(error);
      return undefined;
    }
  }

  async #setsOf(document: SourceDocument): Promise<readonly string[]> {
    const { capability, isIndex, members } = document;
    if (capability === 'description') {
      const sets = isIndex ? await this.#setsOfAll(members.map(({ uri }) => uri)) : urisOf(members);
      return sets.slice(0, maximumSets);
    }
    if (capability === 'capabilitylist') return isIndex ? urisOf(members) : [document.uri];
    return [await this.#setAbove(document)];
  }

  /** Of Source Descriptions that an index of them names. */
  async #setsOfAll(uris: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const uri of uris.slice(0, 100)) {
      const document = await this.#head(uri);
      if (document !== undefined && !(document.isIndex && document.capability === 'description'))
        found.push(...(await this.#setsOf(document)));
    }
    return [...new Set(found)];
  }

  /** From a list over its index to the Capability List that names it, by `up`; the topmost list where there is none. */
  async #setAbove(start: SourceDocument): Promise<string> {
    let current = start;
    const visited = new Set([start.uri]);
    for (let steps = 0; steps < maximumClimb; steps += 1) {
      const next = [current.up, current.index].find((uri) => uri !== undefined && !visited.has(uri));
      if (next === undefined) break;
      visited.add(next);
      const above = await this.#head(next);
      if (above?.capability === 'capabilitylist') return above.uri;
      // A Source Description as `up` of a list says nothing of its set.
      if (above === undefined || above.capability === 'description') break;
      current = above;
    }
    const { index } = start;
    return index !== undefined && visited.has(index) && !this.#failed.has(index) ? index : start.uri;
  }
}

function urisOf(members: readonly { readonly uri: string }[]): readonly string[] {
  return [...new Set(members.map(({ uri }) => uri))];
}
