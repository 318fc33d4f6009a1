import type { RepositoryInfo } from '../../core/adapter.ts';
import { isSameSite } from '../../core/addresses/site.ts';
import { BridgeError, describeError, isBridgeError } from '../../core/errors.ts';
import type { Protocol } from '../protocols.ts';
import { generationOf } from './endpoint-answer.ts';
import { identifyRequest, type LookOptions, listRequest, type Seen } from './endpoint-look.ts';
import { type Failure, isAiling, nothingFound, type Telling } from './nothing-found.ts';
import { oaiLinks } from './page-links.ts';
import {
  isOaiOfDspace,
  legacyRestPlaces,
  oaiBeside,
  oaiPlaces,
  type Pasted,
  readPasted,
  restPlaces,
} from './usual-places.ts';

type Api = Exclude<Protocol, 'oai-pmh' | 'resourcesync'>;

export interface Found {
  readonly adapter: Protocol;
  readonly url: string;
  readonly info: RepositoryInfo;
  /** What its REST API says it is, whether it was chosen or not: `DSpace 8.2`. */
  readonly api?: ApiFound | undefined;
  /** Its OAI-PMH endpoint, where that is not what was chosen. */
  readonly oai?: OaiFound | undefined;
  /** Why its REST API was not chosen, though it is there: one clause. */
  readonly apiTrouble?: string | undefined;
}

export interface ApiFound {
  readonly adapter: Api;
  readonly url: string;
  readonly version: string;
  /** Its HTML pages. */
  readonly ui: string | undefined;
}

export interface OaiFound {
  readonly url: string;
  /** That its identifiers begin with; undefined: it does not say. */
  readonly host: string | undefined;
}

type Look = Pick<LookOptions, 'accept' | 'isGuess'>;

export interface SearchPorts {
  /** What is told when nothing is found. */
  readonly telling: Telling;
  /** @throws BridgeError */
  look(url: string, options: Look): Promise<Seen>;
  /**
   * Asks as a harvest would.
   * @param oai of a DSpace: its OAI-PMH endpoint, if it has one
   * @throws BridgeError where a harvest would fail
   */
  identify(adapter: Protocol, url: string, oai: OaiFound | undefined): Promise<RepositoryInfo>;
}

/**
 * What is behind an address that somebody pasted, with as few requests as can be.
 * @param choice undefined: whichever tells most
 * @throws BridgeError `upstream-protocol` naming what was tried; `upstream-unreachable` at once
 */
export function findRepository(
  address: URL,
  choice: Protocol | undefined,
  ports: SearchPorts,
): Promise<Found> {
  return new RepositorySearch(address, choice, ports).find();
}

type FrontPage = Pasted & { readonly software?: string | undefined };

class RepositorySearch {
  readonly #address: URL;
  readonly #choice: Protocol | undefined;
  readonly #ports: SearchPorts;
  /** In the order in which they were met: the first is that of the address that was given. */
  readonly #failures: Failure[] = [];
  readonly #asked = new Set<string>();
  /** Of places that may not be asked. */
  #refusals = 0;
  #refusal: BridgeError | undefined;
  /** There is something to harvest already: whatever fails from now on costs nothing. */
  #isFound = false;
  /** The host has answered something. */
  #isReached = false;
  #unreachable = 0;
  /** The second one is that of the oldest, and only asked where it is likely. */
  #legacyProbes: readonly string[] = ['/status'];
  /** On the page that was given: what look like endpoints. */
  #links: readonly string[] = [];
  #trouble: Pick<Found, 'api' | 'apiTrouble'> = {};
  /** The page that was given names Capability Lists. */
  #advertises = false;

  constructor(address: URL, choice: Protocol | undefined, ports: SearchPorts) {
    this.#address = address;
    this.#choice = choice;
    this.#ports = ports;
  }

  async find(): Promise<Found> {
    const pasted = readPasted(this.#address);
    const found = (await this.#asPasted(pasted)) ?? (await this.#around(pasted));
    if (found !== undefined) return found;
    if (this.#refusal && this.#refusals === this.#failures.length) throw this.#refusal;
    throw new BridgeError('upstream-protocol', this.#inSum());
  }

  #inSum(): string {
    const wanted = this.#choice === undefined ? 'DSpace, OAI-PMH or ResourceSync' : this.#choice;
    return nothingFound(this.#address.href, wanted, this.#failures, this.#ports.telling);
  }

  /** At the endpoint that the address names. */
  async #asPasted({ kind, url, roots }: Pasted): Promise<Found | undefined> {
    if (kind === 'resourcesync' || this.#choice === 'resourcesync') return this.#source(url);
    if (kind === 'dspace-legacy') this.#legacyProbes = ['/status', '/test'];
    if (kind === 'dspace' || kind === 'dspace-legacy') {
      return this.#allows(kind) ? this.#api(kind, url) : undefined;
    }
    if (kind === 'page' || !this.#allows('oai-pmh')) return undefined;
    const found = await this.#oai(url);
    if (found === undefined || this.#choice !== undefined || !isOaiOfDspace(url)) return found;
    this.#isFound = true;
    const before = url.replace(/\/oai\/.*$/, '');
    const [root = before] = roots;
    const better =
      (await this.#api('dspace', `${root}/server/api`, [url])) ??
      (await this.#api('dspace-legacy', `${root}/rest`, [url])) ??
      // Some have their API at the host itself, without `/server`.
      (before.endsWith('/server') ? undefined : await this.#api('dspace', `${before}/api`, [url]));
    return better ?? { ...found, ...this.#trouble };
  }

  /** At the places where it would be, seen from the address. */
  async #around(pasted: Pasted): Promise<Found | undefined> {
    const front: Found | FrontPage = pasted.kind === 'page' ? await this.#frontPage(pasted) : pasted;
    if ('adapter' in front) return front;
    const { roots, software } = front;
    const advertised = this.#advertises ? await this.#source(pasted.url) : undefined;
    if (advertised !== undefined) return advertised;
    // What the page says it was made by is more than what its address looks like.
    const generation = generationOf(software) ?? front.generation;
    if (generation === 'dspace-legacy') this.#legacyProbes = ['/status', '/test'];
    const mayBeDspace = software === undefined || generation !== undefined;
    const given = pasted.kind === 'oai-pmh' ? [pasted.url, ...pasted.near] : [];
    const isHal = software?.includes('HAL') === true;
    const newest = [...(isHal ? roots.map((root) => `${root}/api`) : []), ...restPlaces(roots)];
    return (
      (await this.#firstApi('dspace', generation === 'dspace-legacy' || !mayBeDspace ? [] : newest, given)) ??
      (generation === 'dspace' ? await this.#bySettings(roots) : undefined) ??
      (await this.#firstApi(
        'dspace-legacy',
        generation === 'dspace' || !mayBeDspace ? [] : legacyRestPlaces(roots),
        given,
      )) ??
      (await this.#firstLinked()) ??
      (await this.#firstOai([...pasted.near, ...oaiPlaces(roots, software)])) ??
      // A page that tells nothing of itself may be a user interface all the same.
      (mayBeDspace ? await this.#bySettings(roots) : undefined) ??
      (mayBeDspace
        ? await this.#firstApi(
            'dspace',
            roots.map((root) => `${root}/api`),
            given,
          )
        : undefined) ??
      (await this.#wellKnownSource(roots)) ??
      (await this.#sourceOfRobots())
    );
  }

  /** Of a host that tells nothing else of itself; where something is out of order at present, it may be more than that. */
  async #sourceOfRobots(): Promise<Found | undefined> {
    const { origin, pathname, search } = this.#address;
    const isHost = pathname === '/' && search === '';
    if (!this.#allows('resourcesync') || !isHost || this.#failures.some(({ reason }) => isAiling(reason)))
      return undefined;
    const seen = await this.#look(`${origin}/robots.txt`, { accept: 'any', isGuess: true });
    return seen?.advertises === true ? this.#source(`${origin}/`) : undefined;
  }

  /** Last, because a repository that has both tells more of itself otherwise. */
  async #wellKnownSource(roots: readonly string[]): Promise<Found | undefined> {
    if (!this.#allows('resourcesync')) return undefined;
    for (const root of roots) {
      const url = `${root}/.well-known/resourcesync`;
      const seen = await this.#look(url, { accept: 'any', isGuess: true });
      const found = seen?.answer.kind === 'resourcesync' ? await this.#source(url) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #source(url: string): Promise<Found | undefined> {
    if (!this.#allows('resourcesync')) return undefined;
    try {
      const info = await this.#ports.identify('resourcesync', url, undefined);
      return { adapter: 'resourcesync', url: info.baseUrl ?? url, info };
    } catch (error) {
      this.#asked.add(url);
      this.#note(url, error);
      return undefined;
    }
  }

  /** The address itself: an endpoint without a telling name, or a page that says which software made it. */
  async #frontPage(pasted: Pasted): Promise<Found | FrontPage> {
    const seen = await this.#look(identifyRequest(pasted.url), { accept: 'any', isGuess: false }, pasted.url);
    if (seen === undefined) return pasted;
    const { answer, url } = seen;
    if (answer.kind === 'oai-pmh') return (await this.#oai(pasted.url)) ?? pasted;
    if (answer.kind === 'resourcesync') return (await this.#source(pasted.url)) ?? pasted;
    if (answer.kind === 'dspace') return (await this.#api('dspace', pasted.url)) ?? pasted;
    const arrived = new URL(url);
    arrived.searchParams.delete('verb');
    // A login or a proxy elsewhere is not the repository.
    const behind = isSameSite(arrived.hostname, this.#address.hostname) ? readPasted(arrived) : pasted;
    const roots = [...new Set([...behind.roots, ...pasted.roots])];
    const software = answer.kind === 'none' ? answer.software : undefined;
    this.#advertises = seen.advertises === true;
    this.#links = answer.kind === 'none' ? oaiLinks(answer.text, url) : [];
    return { ...pasted, roots, generation: pasted.generation ?? behind.generation, software };
  }

  /** A user interface knows where its REST API is, be it at another host. */
  async #bySettings(roots: readonly string[]): Promise<Found | undefined> {
    if (!this.#allows('dspace')) return undefined;
    for (const root of roots) {
      const seen = await this.#look(`${root}/assets/config.json`, { accept: 'json', isGuess: true });
      if (seen?.answer.kind !== 'ui-settings') continue;
      const found = await this.#api('dspace', seen.answer.rest);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #firstApi(
    adapter: Api,
    bases: readonly string[],
    oai: readonly string[],
  ): Promise<Found | undefined> {
    if (!this.#allows(adapter)) return undefined;
    for (const base of bases) {
      const found = await this.#api(adapter, base, oai);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #firstOai(urls: readonly string[]): Promise<Found | undefined> {
    if (!this.#allows('oai-pmh')) return undefined;
    for (const url of urls) {
      const seen = await this.#look(identifyRequest(url), { accept: 'any', isGuess: true }, url);
      const found = seen?.answer.kind === 'oai-pmh' ? await this.#oai(url) : undefined;
      if (found !== undefined) return { ...found, ...this.#trouble };
    }
    return undefined;
  }

  /** A link is as good as an address that was pasted: behind that of a DSpace there may be more. */
  async #firstLinked(): Promise<Found | undefined> {
    if (!this.#allows('oai-pmh')) return undefined;
    for (const link of this.#links) {
      const pasted = readPasted(new URL(link));
      const { url } = pasted;
      const seen = await this.#look(identifyRequest(url), { accept: 'any', isGuess: true }, url);
      if (seen?.answer.kind !== 'oai-pmh') continue;
      const found = await this.#asPasted({ ...pasted, kind: 'oai-pmh' });
      if (found !== undefined) return { ...found, ...this.#trouble };
    }
    return undefined;
  }

  async #oai(url: string): Promise<Found | undefined> {
    try {
      return { adapter: 'oai-pmh', url, info: await this.#ports.identify('oai-pmh', url, undefined) };
    } catch (error) {
      this.#asked.add(identifyRequest(url));
      this.#note(url, error);
      return undefined;
    }
  }

  /** @param given where its OAI-PMH endpoint is, or may be, by what was pasted */
  async #api(adapter: Api, base: string, given: readonly string[] = []): Promise<Found | undefined> {
    let seen: Seen | undefined;
    for (const path of adapter === 'dspace' ? [''] : this.#legacyProbes) {
      if (seen?.answer.kind === adapter) break;
      seen = await this.#look(base + path, { accept: 'json', isGuess: true });
    }
    if (seen === undefined || seen.answer.kind !== adapter) return undefined;
    const { version } = seen.answer;
    const ui = seen.answer.kind === 'dspace' ? seen.answer.ui : undefined;
    const url = apiBase(seen.url, adapter);
    const api = { adapter, url, version, ui };
    const oai = await this.#beside(url, given);
    try {
      const info = await this.#ports.identify(adapter, url, oai);
      return { adapter, url, info, api, oai };
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      this.#fail(url, describeError(error));
      this.#trouble = { api, apiTrouble: describeError(error) };
      if (oai === undefined || this.#isFound || !this.#allows('oai-pmh')) return undefined;
      const instead = await this.#oai(oai.url);
      return instead && { ...instead, ...this.#trouble };
    }
  }

  async #beside(api: string, given: readonly string[]): Promise<OaiFound | undefined> {
    const before = this.#isFound;
    this.#isFound = true;
    try {
      for (const url of new Set([...given, ...oaiBeside(api)])) {
        const seen = await this.#look(listRequest(url), { accept: 'any', isGuess: true }, url);
        if (seen?.answer.kind !== 'oai-pmh') continue;
        const { host } = seen.answer;
        return { url, host: host ?? (await this.#hostStated(url)) };
      }
      return undefined;
    } finally {
      this.#isFound = before;
    }
  }

  /** Of a repository without records. */
  async #hostStated(url: string): Promise<string | undefined> {
    const seen = await this.#look(identifyRequest(url), { accept: 'any', isGuess: true }, url);
    return seen?.answer.kind === 'oai-pmh' ? seen.answer.host : undefined;
  }

  /** @returns undefined where it has been asked already, or does not answer */
  async #look(url: string, options: Look, name = url): Promise<Seen | undefined> {
    if (this.#asked.has(url)) return undefined;
    this.#asked.add(url);
    try {
      const seen = await this.#ports.look(url, options);
      this.#isReached = true;
      if (seen.answer.kind === 'none') this.#fail(name, seen.answer.what);
      return seen;
    } catch (error) {
      this.#note(name, error);
      return undefined;
    }
  }

  /** @throws the error itself where nothing else at this host can be expected to do better */
  #note(url: string, error: unknown): void {
    if (!isBridgeError(error)) throw error;
    const isHopeless = error.code === 'upstream-unreachable' || error.code === 'upstream-busy';
    const isHere = new URL(url).host === this.#address.host;
    if (isHopeless && isHere) this.#unreachable += 1;
    if (error.code === 'address-refused') {
      this.#refusals += 1;
      this.#refusal ??= error;
    }
    // Firewalls cut off single guesses; a host that is down cuts off all.
    const isDown = !this.#isReached || this.#unreachable >= 3;
    const isFirst = this.#failures.length === 0;
    this.#fail(url, describeError(error));
    if (!isHopeless || !isHere || !isDown || this.#isFound) return;
    throw isFirst ? error : new BridgeError(error.code, this.#inSum());
  }

  #fail(url: string, reason: string): void {
    this.#failures.push({ url, reason });
  }

  #allows(protocol: Protocol): boolean {
    return this.#choice === undefined || this.#choice === protocol;
  }
}

function apiBase(answered: string, adapter: Api): string {
  const url = new URL(answered);
  const path = adapter === 'dspace' ? url.pathname : url.pathname.replace(/\/(?:status|test)\/?$/, '');
  return `${url.origin}${path.replace(/\/+$/, '')}`;
}
