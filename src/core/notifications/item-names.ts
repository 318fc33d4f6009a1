import { isSameSite } from '../addresses/site.ts';
import { readDoi, readHandle } from '../descriptions/persistent-identifiers.ts';

/** What the items of a source are called, as far as that is known. */
export interface NamingOf {
  /** Of the repository. */
  readonly host: string;
  /** The identifier of any of its items; undefined: none is in store. */
  readonly known: string | undefined;
}

export interface ItemNames {
  /** Identifiers that an item of the source may have, the likeliest first. */
  readonly likely: readonly string[];
  /** One that it has if it is an item of the source, though it may never have been harvested. */
  readonly certain: string | undefined;
  /** Its DOI or Handle, by which it is found among the descriptions. */
  readonly persistent: string | undefined;
}

const uuid = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/i;
const mostDigits = 20;

/**
 * Which item of a source an address means: from its form alone, as repositories make their addresses. Nothing is
 * fetched; whether there is such an item is for the store, or the repository, to say.
 */
export function itemNames(address: string, { host, known }: NamingOf): ItemNames {
  const prefix = /^oai:[^:]+:/.exec(known ?? '')?.[0];
  const isDspace = known === undefined || uuid.test(known);
  const handle = readHandle(address) ?? handleIn(address, host);
  const doi = readDoi(address);
  const own =
    handle !== undefined && prefix !== undefined && isHandle(known) ? `${prefix}${handle}` : undefined;
  const [id] = (isOfHost(address, host) && uuid.exec(address)) || [];
  const byUuid = isDspace ? id?.toLowerCase() : undefined;
  return {
    likely: [
      ...new Set([
        ...(/^(?:oai|urn):/i.test(address) ? [address] : []),
        ...[own, byUuid].filter((one) => one !== undefined),
        ...(prefix === undefined ? [] : localNames(address, host).map((local) => `${prefix}${local}`)),
      ]),
    ],
    certain: address.startsWith(prefix ?? 'oai:') && prefix !== undefined ? address : (own ?? byUuid),
    persistent: doi ?? handle,
  };
}

/** Whether items are called by their Handles, as DSpace does it. */
function isHandle(identifier: string | undefined): boolean {
  return /^oai:[^:]+:[\w.]+\/\S+$/.test(identifier ?? '');
}

/** DSpace shows an item at `/handle/PREFIX/SUFFIX`, also below a path. */
function handleIn(address: string, host: string): string | undefined {
  if (!isOfHost(address, host)) return undefined;
  const [, handle] = /\/handle\/([\w.]+\/[^/?#]+)/.exec(new URL(address).pathname) ?? [];
  return handle;
}

/** What stands behind the prefix in identifiers of EPrints, WEKO, Invenio, OJS and others, by their landing pages. */
function* localsOf(path: string): Generator<string> {
  const [, article] = /\/article\/view\/(\d+)/.exec(path) ?? [];
  if (article !== undefined) yield `article/${article}`;
  const last = path.split('/').findLast((segment) => segment !== '');
  if (last === undefined) return;
  yield last;
  // WEKO3 writes record 123 as 00000123.
  if (/^\d+$/.test(last) && last.length < mostDigits) {
    yield last.padStart(8, '0');
    yield last.replace(/^0+(?=\d)/, '');
  }
}

function localNames(address: string, host: string): readonly string[] {
  return isOfHost(address, host) ? [...localsOf(new URL(address).pathname)] : [];
}

function isOfHost(address: string, host: string): boolean {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return false;
  const found = new URL(address).host;
  return found === host || isSameSite(found, host);
}
