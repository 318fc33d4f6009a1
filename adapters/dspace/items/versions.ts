import type { AdapterContext, SourceVersion } from '../../../src/core/adapter.ts';
import { webUrl } from '../../../src/core/addresses/web-url.ts';
import { parseDatestamp } from '../../../src/core/datetime.ts';
import { failure } from '../../../src/core/errors.ts';
import { asText, asUuid, embedded, isEmbedded, type JsonObject } from '../rest/json-value.ts';
import { type Ask, rowsOf } from '../rest/list-rows.ts';
import { isNotFound, isRefused, isRestError } from '../rest/rest-error.ts';
import type { RestService } from '../rest/rest-service.ts';
import type { Session } from '../rest/session.ts';
import { UnreadableItem } from '../rest/unreadable-item.ts';
import { type ItemReader, itemEmbeds, type PriorVersions } from './item-reader.ts';

/** The latest of them; of a history that is longer, nobody has asked for the rest. */
const mostVersions = 200;

/** Whoever tries to learn about versions in vain so many times will not learn anything in this run. */
const enoughRefusals = 3;

/** A row of a version history. */
interface Version {
  readonly number: number;
  /** ISO UTC. */
  readonly createdAt: string | undefined;
  /** Of the item; undefined: that one is not for the asker. */
  readonly uuid: string | undefined;
  /** The item as everybody sees it, with `itemEmbeds`; undefined: that has to be asked for. */
  readonly json: JsonObject | undefined;
}

/** What an item's own version says. */
interface Current {
  readonly number: number;
  readonly json: JsonObject;
}

/** Version histories; the login, where there is one, opens hidden ones, and nothing that is in them. */
export class VersionHistories {
  readonly #rest: RestService;
  readonly #session: Session | undefined;
  readonly #log: AdapterContext['log'];
  #refusals = 0;

  constructor(rest: RestService, session: Session | undefined, { log }: Pick<AdapterContext, 'log'>) {
    this.#rest = rest;
    this.#session = session;
    this.#log = log;
  }

  /**
   * What an item was before, oldest first, as far as everybody may read it now.
   * @param json the item, with its version and that one's history embedded
   * @returns undefined: nothing is known of that, or there was nothing
   * @throws BridgeError of the transport; `upstream-login-refused`
   */
  async readPrior(
    json: JsonObject,
    reader: Pick<ItemReader, 'readState'>,
    signal: AbortSignal,
  ): Promise<PriorVersions | undefined> {
    return this.#unlessBroken(json, async () => {
      const current = await this.#currentOf(json, signal);
      if (current === undefined || current.number < 2) return undefined;
      const history = await this.#historyOf(current, signal);
      if (history === undefined) return undefined;
      const prior = history.filter(({ number }) => number < current.number).slice(-mostVersions);
      const versions: SourceVersion[] = [];
      const hiddenVersions = missingBefore(current.number, history);
      for (const version of prior) {
        const read = await this.#read(version, reader, signal);
        if (read === 'hidden') hiddenVersions.push(version.number);
        else if (read !== undefined) versions.push(read);
      }
      hiddenVersions.sort((a, b) => a - b);
      return { versions, ...(hiddenVersions.length > 0 && { hiddenVersions }) };
    });
  }

  /** Whether a newer version of an item is known. @param json as above */
  async isSuperseded(json: JsonObject, signal: AbortSignal): Promise<boolean> {
    const newer = await this.#unlessBroken(json, async () => {
      const current = await this.#currentOf(json, signal);
      const history = current && (await this.#historyOf(current, signal));
      return current && history?.some(({ number }) => number > current.number);
    });
    return newer === true;
  }

  /** What is wrong with a history is no reason to lose the item. */
  async #unlessBroken<T>(json: JsonObject, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isRestError(error)) throw error;
      this.#log.warn({ item: asText(json.uuid), ...failure(error) }, 'versions cannot be read');
      return undefined;
    }
  }

  /** Not embedded: it is hidden, or there are no versions here at all; a login may tell. */
  async #currentOf(json: JsonObject, signal: AbortSignal): Promise<Current | undefined> {
    const version = isEmbedded(json, 'version')
      ? embedded(json, 'version')
      : await this.#askAsAccount(`/core/items/${asUuid(json.uuid)}/version`, signal);
    const number = numberOf(version?.version);
    return version === undefined || number === undefined ? undefined : { number, json: version };
  }

  async #askAsAccount(path: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    if (this.#session === undefined || this.#refusals >= enoughRefusals) return undefined;
    try {
      const json = await this.#session.get(path, [['embed', 'versionhistory']], signal);
      this.#refusals = 0;
      return json;
    } catch (error) {
      if (!isRefused(error) && !isNotFound(error)) throw error;
      this.#refusals += 1;
      if (this.#refusals === enoughRefusals) {
        this.#log.warn({ url: this.#rest.base }, 'versions are hidden from the login, too, or switched off');
      }
      return undefined;
    }
  }

  /** Undefined: it is neither for everybody nor for the account. */
  async #historyOf({ json }: Current, signal: AbortSignal): Promise<readonly Version[] | undefined> {
    const publicly: Ask = (path, query) => this.#rest.get(path, query, { signal });
    const session = this.#session;
    const asAccount: Ask | undefined = session && ((path, query) => session.get(path, query, signal));
    for (const ask of [publicly, asAccount]) {
      if (ask === undefined) break;
      try {
        return await readHistory(ask, json, ask === publicly);
      } catch (error) {
        if (!isRefused(error) && !isNotFound(error)) throw error;
      }
    }
    return undefined;
  }

  /** As everybody sees it now; `hidden`: they do not; undefined: it is not there, or cannot be read. */
  async #read(
    { number, createdAt, uuid, json: embeddedItem }: Version,
    reader: Pick<ItemReader, 'readState'>,
    signal: AbortSignal,
  ): Promise<SourceVersion | 'hidden' | undefined> {
    if (uuid === undefined) return 'hidden';
    // What has no date has no place in time.
    if (createdAt === undefined) return undefined;
    let json: JsonObject | undefined;
    try {
      json = embeddedItem ?? (await this.#rest.get(`/core/items/${uuid}`, itemEmbeds, { signal }));
    } catch (error) {
      if (isRefused(error)) return 'hidden';
      if (isNotFound(error)) return undefined;
      throw error;
    }
    // No longer in the archive once there is a newer one, and yet there for everybody who may read it.
    const isPublic = json?.withdrawn === false && json.discoverable === true;
    if (json === undefined || asUuid(json.uuid) !== uuid) return undefined;
    if (!isPublic) return 'hidden';
    const ui = asText(this.#rest.root.dspaceUI)?.replace(/\/+$/, '');
    const upstreamUrl = ui === undefined ? undefined : webUrl(`${ui}/items/${uuid}`)?.href;
    const about = { number, createdAt, ...(upstreamUrl === undefined ? {} : { upstreamUrl }) };
    try {
      return { ...about, ...(await reader.readState(json, signal)) };
    } catch (error) {
      if (!(error instanceof UnreadableItem)) throw error;
      this.#log.warn({ item: uuid, ...failure(error) }, 'a version is left out');
      return undefined;
    }
  }
}

/** The items of a history with all that is read of them. */
const itemsWithEmbeds = itemEmbeds.map(([name, value]) => [name, `item/${value}`] as const);

/**
 * By number; the server leaves out drafts.
 * @param isPublic everybody may ask so: then the answer holds the items, too
 */
async function readHistory(ask: Ask, version: JsonObject, isPublic: boolean): Promise<readonly Version[]> {
  const history =
    embedded(version, 'versionhistory') ??
    embedded(
      (await ask(`/versioning/versions/${numberOf(version.id)}`, [['embed', 'versionhistory']])) ?? {},
      'versionhistory',
    );
  const id = numberOf(history?.id);
  if (id === undefined) return [];
  const rows = new Map<number, Version>();
  const path = `/versioning/versionhistories/${id}/versions`;
  const embeds = isPublic ? itemsWithEmbeds : ([['embed', 'item']] as const);
  for await (const row of rowsOf(ask, path, embeds)) {
    const number = numberOf(row.version);
    if (number === undefined) continue;
    const createdAt = parseDatestamp(asText(row.created) ?? '');
    const item = embedded(row, 'item');
    const json = isPublic && item !== undefined && isEmbedded(item, 'bundles') ? item : undefined;
    rows.set(number, { number, createdAt, uuid: asUuid(item?.uuid), json });
  }
  return [...rows.values()].sort((a, b) => a.number - b.number);
}

/** A version that is not for everybody is left out, as if it had been deleted: which of both it is, nobody says. */
function missingBefore(current: number, history: readonly Version[]): number[] {
  const listed = new Set(history.map(({ number }) => number));
  const first = Math.max(1, current - mostVersions);
  const numbers = Array.from({ length: Math.max(0, current - first) }, (_, index) => first + index);
  return numbers.filter((number) => !listed.has(number));
}

/** Ids and counts are numbers; the contract's examples have them as text. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
