import type { AdapterSettings, SourceItem } from '../../src/core/adapter.ts';
import { itemAt } from '../../src/core/addresses/item-address.ts';
import { parseDatestamp } from '../../src/core/datetime.ts';
import { readOaiName } from '../../src/core/dspace/oai-name.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { type ItemReader, itemEmbeds } from './items/item-reader.ts';
import type { VersionHistories } from './items/versions.ts';
import { asFlag, asText, asUuid, type JsonObject } from './rest/json-value.ts';
import { isNotFound, isRefused, isRestError } from './rest/rest-error.ts';
import type { RestService } from './rest/rest-service.ts';
import { findHandleInSearch, findInSearch, isNotTaken } from './search/search.ts';

export interface TriageParts {
  readonly rest: RestService;
  readonly reader: Pick<ItemReader, 'read'>;
  readonly versions: Pick<VersionHistories, 'isSuperseded'>;
  readonly settings: AdapterSettings;
  /** Names of the formats that items are delivered in. */
  readonly formats: readonly string[];
  /** Addresses at which it was read before. */
  readonly deliveredFrom?: readonly string[];
}

/**
 * What became of an item: it as it is; `deleted`: withdrawn, private, restricted (all three `refused`), superseded, or called otherwise;
 * `unlisted`: there for everybody, but their search leaves it out. Undefined: there is no such item.
 * @throws BridgeError where it cannot be read, or nobody knows whether it is there
 */
export async function triage(
  parts: TriageParts,
  identifier: string,
  signal: AbortSignal,
): Promise<SourceItem | undefined> {
  const { rest, reader, settings, versions } = parts;
  const uuid = await findItem(parts, identifier, signal);
  if (uuid === undefined) return undefined;
  if (uuid === 'hidden') return refusedItem(parts, identifier);
  let json: JsonObject | undefined;
  try {
    json = await rest.get(`/core/items/${uuid}`, itemEmbeds, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isRefused(error)) return refusedItem(parts, identifier);
    throw error;
  }
  if (json === undefined || asUuid(json.uuid) !== uuid) {
    throw new BridgeError('upstream-protocol', `${rest.base}/core/items/${uuid} is not that item`);
  }
  const gone = goneItem(parts, identifier, json);
  const { entityTypes } = settings;
  if (entityTypes !== undefined && !entityTypes.includes(asText(json.entityType) ?? '')) return gone;
  const read = await reader.read(json, signal);
  if ('problem' in read) throw new BridgeError('upstream-protocol', read.problem.message);
  // A handle may have passed on to another version, and identifiers may be made in another way than they were.
  // One that is only not archived any more is not the current version.
  if ('hidden' in read) return isKeptBack(json) ? { ...gone, refused: true } : gone;
  if (read.item.identifier !== identifier) return gone;
  const isFound = await findItself(rest, uuid, signal);
  if (isFound === true) return read.item;
  if (await versions.isSuperseded(json, signal)) return gone;
  if (isFound === 'counted') {
    const item = `${rest.base}/core/items/${uuid}`;
    throw new BridgeError(
      'upstream-protocol',
      `${item} is there, and the search counts it and does not show it`,
    );
  }
  return { ...read.item, unlisted: true };
}

/** Whether everybody may read an item, be it the current version or an earlier one; undefined: DSpace does not say. */
export async function isShownAt(
  rest: RestService,
  address: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const uuid = itemAt(address);
  if (uuid === undefined) return undefined;
  let json: JsonObject | undefined;
  try {
    json = await rest.get(`/core/items/${uuid}`, [], { signal });
  } catch (error) {
    if (isRefused(error) || isNotFound(error)) return false;
    throw error;
  }
  if (json === undefined || asUuid(json.uuid) !== uuid) return undefined;
  if (isKeptBack(json)) return false;
  return json.withdrawn === false && json.discoverable === true ? true : undefined;
}

/** Not for everybody, says DSpace: neither is what it was. */
function refusedItem(parts: TriageParts, identifier: string): SourceItem {
  return { ...goneItem(parts, identifier), refused: true };
}

function isKeptBack({ withdrawn, discoverable }: JsonObject): boolean {
  return asFlag(withdrawn) === true || asFlag(discoverable) === false;
}

/** In everything that it was delivered in, it is not there any more. */
export function goneItem(
  { formats, settings }: Pick<TriageParts, 'formats' | 'settings'>,
  identifier: string,
  json?: JsonObject,
): SourceItem {
  return {
    identifier,
    datestamp: parseDatestamp(asText(json?.lastModified) ?? ''),
    collections: [],
    speaksFor: { formats, files: settings.files === undefined ? undefined : { name: 'dspace', rank: 0 } },
    deleted: true,
    metadata: [],
    files: [],
    complete: true,
  };
}

/**
 * The UUID that an identifier leads to; undefined: to nothing. `pid/find` comes last: of an item that is not for
 * everybody DSpace 9 notes an error in its log for each such question.
 * @returns `hidden`: DSpace denies what it leads to, or breaks where it should (DSpace#9154)
 */
async function findItem(
  { rest, deliveredFrom = [] }: Pick<TriageParts, 'rest' | 'deliveredFrom'>,
  identifier: string,
  signal: AbortSignal,
): Promise<string | 'hidden' | undefined> {
  const uuid = asUuid(identifier);
  if (uuid !== undefined) return uuid;
  const handle = readOaiName(identifier)?.handle;
  if (handle === undefined) return undefined;
  const found = await findHandle(rest, handle, signal);
  if (found !== undefined) return found;
  const known = deliveredFrom.map(uuidOfAddress).find((one) => one !== undefined);
  const isThere = known === undefined ? false : await knows(rest, known, handle, signal);
  if (isThere === 'hidden') return isThere;
  if (isThere) return known;
  try {
    return await rest.findByHandle(handle, signal);
  } catch (error) {
    if (!isRestError(error, 401, 403, 500, 501)) throw error;
    return 'hidden';
  }
}

/** As everybody finds it; where the search does not take the question, nobody has been told. */
async function findHandle(
  rest: RestService,
  handle: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await findHandleInSearch(rest, handle, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isNotTaken(error)) return undefined;
    throw error;
  }
}

/** Whether the item is still there under this handle; `hidden`: it is not for everybody. */
async function knows(
  rest: RestService,
  uuid: string,
  handle: string,
  signal: AbortSignal,
): Promise<boolean | 'hidden'> {
  try {
    const json = await rest.get(`/core/items/${uuid}`, [], { signal });
    return json?.handle === handle;
  } catch (error) {
    if (isRefused(error)) return 'hidden';
    if (isNotFound(error)) return false;
    throw error;
  }
}

function uuidOfAddress(address: string): string | undefined {
  return asUuid(/\/core\/items\/([^/?#]+)$/.exec(address)?.[1]);
}

/** Where the search does not take the question, it has not denied the item. */
async function findItself(
  rest: RestService,
  uuid: string,
  signal: AbortSignal,
): Promise<boolean | 'counted'> {
  try {
    return await findInSearch(rest, uuid, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isNotTaken(error)) return false;
    throw error;
  }
}
