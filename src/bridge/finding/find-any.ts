import { createAdapter } from '../../../adapters/index.ts';
import { type Config, parseConfig } from '../../core/config/config.ts';
import { isBridgeError, refusal } from '../../core/errors.ts';
import { createHostGate, type HostGate } from '../../harvest/http/host-gate.ts';
import { createHttp } from '../../harvest/http/http.ts';
import { createLessonBook } from '../../harvest/lessons.ts';
import { adapterSettings, httpSettings, oaiSettings } from '../bridge.ts';
import { createLog } from '../log.ts';
import type { Protocol } from '../protocols.ts';
import { systemClock } from '../system-clock.ts';
import { lookAt } from './endpoint-look.ts';
import { type Found, findRepository, type SearchPorts } from './find-repository.ts';
import type { Telling } from './nothing-found.ts';
import { SearchBudget, type SearchLimits, searchLimits } from './search-budget.ts';

export interface Looking {
  readonly contact?: string | undefined;
  /** Undefined: whichever tells most. */
  readonly adapter?: Protocol | undefined;
  /** What is told when nothing is found; default: the usual. */
  readonly telling?: Telling;
  readonly limits?: SearchLimits;
  /** Default: it is alone. */
  readonly places?: SearchPlaces;
  /**
   * Where whoever gave the address may have us ask: `anywhere`, the default, for somebody at this machine; else only at
   * public addresses, and those of `network.allow`.
   */
  readonly within?: 'anywhere' | Config['network'];
  /** As the source is to be read, for somebody at this machine: whatever it may ask a harvest may. */
  readonly reach?: Reach;
  /** Told of each place that is asked. */
  readonly asked?: (url: string) => void;
  readonly signal: AbortSignal;
}

/** Where a source may lead: by its own settings, and by those of all. */
export interface Reach {
  readonly network: Config['network'];
  readonly allowPrivateAddresses: boolean;
}

/** What somebody says of a source, or else its group. */
export function reachOf({ network, groups }: Config, said: Readonly<Record<string, unknown>>): Reach {
  const { group } = said;
  const shared = typeof group === 'string' && Object.hasOwn(groups, group) ? groups[group] : {};
  return { network, allowPrivateAddresses: { ...shared, ...said }.allowPrivateAddresses === true };
}

/** @throws BridgeError `usage` that does not repeat them */
function withoutCredentials(url: URL): URL {
  if (url.username === '' && url.password === '') return url;
  throw refusal('usage', 'credentials-in-address', { host: url.host });
}

/** @throws BridgeError `usage` where it is none of the web */
export function parseAddress(address: string): URL {
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`scheme ${url.protocol}`);
    url.hash = '';
    return withoutCredentials(url);
  } catch (cause) {
    if (isBridgeError(cause)) throw cause;
    throw refusal('usage', 'no-web-address', { text: address }, { cause });
  }
}

/** Where requests wait for one another, and how many may be under way at a host. */
export interface SearchPlaces {
  readonly gate: HostGate;
  readonly requestsPerHost?: number | undefined;
}

/**
 * What can be harvested behind an address that somebody pasted. Without a scheme both are meant, the safer one first.
 * @throws BridgeError `usage`, `upstream-protocol`, `upstream-unreachable`, `address-refused`
 */
export async function findAny(address: string, looking: Looking): Promise<Found> {
  const url = parseAddress(address);
  if (address.includes('://')) return find(url, looking);
  const { total, guess } = looking.limits ?? searchLimits;
  const half = { ...looking, limits: { total: total / 2, guess: Math.min(guess, total / 4) } };
  try {
    return await find(url, half);
  } catch (error) {
    if (!isBridgeError(error, 'upstream-unreachable')) throw error;
    return find(parseAddress(url.href.replace(/^https:/, 'http:')), half);
  }
}

/** Most of the places where we look are wrong: no use in waiting there. */
const impatient = { ...systemClock, sleep: async () => undefined };

async function find(address: URL, looking: Looking): Promise<Found> {
  const { contact, adapter: choice, telling = 'usual', limits = searchLimits, signal } = looking;
  const { within = 'anywhere', places: { gate, requestsPerHost } = { gate: createHostGate() } } = looking;
  const { total, guess } = limits;
  const budget = new SearchBudget(total);
  const log = createLog('silent', process.stderr);
  const isTrusted = within === 'anywhere';
  const { network, ...own } = looking.reach ?? {};
  const allowed = isTrusted ? network : within;
  const configured = (source: object) => {
    const config = parseConfig({
      ...(contact ? { contact } : {}),
      ...(allowed ? { network: allowed } : {}),
      sources: { probe: { ...source, ...(isTrusted ? own : { privateHost: false }) } },
    });
    const settings = config.sources.probe;
    if (!settings) throw new Error('the probe has no settings');
    return { config, settings };
  };
  const { config, settings } = configured({ url: address.href });
  const patience = { busyAttempts: 2, connectAttempts: 2, firstWaitMs: 2000, longestWaitMs: 10_000 };
  // One client for all: only the address that was given may be private, not what pages lead to.
  const http = createHttp(
    {
      ...httpSettings(settings, config),
      ...(requestsPerHost === undefined ? {} : { requestsPerHost }),
      timeoutSeconds: 30,
      patience,
    },
    { gate, clock: systemClock, log },
  );
  const alone = { http, log, clock: impatient, lessons: createLessonBook(impatient) };
  const ports: SearchPorts = {
    telling,
    look: (url, options) => {
      looking.asked?.(url);
      return budget.spend(url, options.isGuess ? guess : total, signal, (deadline, inTime) =>
        lookAt(http, url, { ...options, deadline, signal: inTime }),
      );
    },
    identify: (adapter, url, oai) => {
      // What is known already is not asked again.
      const isDspace = adapter === 'dspace' || adapter === 'dspace-legacy';
      const known = isDspace ? { oai: oai?.url ?? false } : {};
      const identity = oai?.host === undefined ? {} : { identity: `oai:${oai.host}` };
      const { settings: source } = configured({ adapter, url, ...known, ...identity });
      const oaiAt = (place: string) => createAdapter('oai-pmh', oaiSettings(source, place), alone);
      const context = { ...alone, oaiAt };
      const endpoint = createAdapter(adapter, adapterSettings(source), context);
      return budget.spend(url, total, signal, (_deadline, inTime) => endpoint.identify(inTime));
    },
  };
  try {
    return await findRepository(address, choice, ports);
  } finally {
    await http.close();
  }
}

/** `https://repo.example.ac.jp/oai` → `repo-example-ac-jp`. */
export function nameFrom(url: string): string {
  return (
    new URL(url).hostname
      .replace(/^www\./, '')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'repository'
  );
}
