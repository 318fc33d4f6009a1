import { type BridgeError, refusal } from '../../core/errors.ts';
import { fromSegment } from '../../core/segment.ts';
import { isAbsolute, itemPath, toUri } from '../../core/uris.ts';
import { setPaths } from '../../publish/documents/document-paths.ts';
import { listHistories, type ResourceHistory } from '../../store/history/timelines.ts';
import { findItem, findItemAt, type StoredItem } from '../../store/reading/items.ts';
import { listPrivateParts } from '../../store/removal/shared-withdrawals.ts';
import { findItemsWithVersion } from '../../store/removal/versions-elsewhere.ts';
import { readJournals } from '../../store/sources/journal.ts';
import type { Bridge } from '../bridge.ts';

/** What a person can have meant: a resource, or an item, which is several. */
export type HistoryTarget =
  | { readonly kind: 'resource'; readonly history: ResourceHistory }
  | { readonly kind: 'item'; readonly item: StoredItem };

/**
 * @param text a URI of ours (of a resource, of its TimeGate, TimeMap or a memento, of an item's page), a path below
 *   `baseUrl`, the URL of a file that is linked to, or what the repository calls an item
 * @throws BridgeError `unknown-resource`, saying what is near
 */
export async function findTarget(bridge: Bridge, text: string): Promise<HistoryTarget> {
  const { reader } = bridge.database;
  const paths = pathsIn(text, bridge.config.baseUrl);
  for (const path of paths) {
    const histories = await listHistories(reader, path);
    const configured = histories.find(({ source }) => Object.hasOwn(bridge.config.sources, source));
    const history = configured ?? histories[0];
    if (history) return { kind: 'resource', history };
  }
  for (const path of paths) {
    const item = await itemAt(bridge, path);
    if (item) return { kind: 'item', item };
  }
  const items = await onePerFamily(bridge, await itemsCalled(bridge, text.trim()));
  const [item, another] = items;
  if (item && !another) return { kind: 'item', item };
  const pages = items.map((one) => pageOf(bridge, one)).join(', ');
  if (item) throw refusal(code, 'item-of-several', { text: text.trim(), names: pages });
  throw (await versionOfItem(bridge, text.trim())) ?? (await whatIsNear(bridge, text, paths));
}

/** What a text can mean as a path of ours, as it is first; a linked file's path is its own URL. */
export function pathsIn(text: string, baseUrl: string): readonly string[] {
  const paths = new Set<string>();
  const asked = text.trim().replace(/^<(.*)>$/, '$1');
  const plain = asked.replace(/#.*$/s, '');
  for (const form of [asked, plain, plain.replace(/\?.*$/s, ''), decoded(plain)]) {
    let path = below(form, baseUrl);
    for (let inner = unwrapped(path); inner !== undefined; inner = unwrapped(path)) {
      path = below(inner, baseUrl);
    }
    if (path === '' || path.includes('\0')) continue;
    paths.add(path);
    if (/[^/]\/+$/.test(path)) paths.add(path.replace(/\/+$/, ''));
  }
  return [...paths];
}

/** A proxy may have merged slashes, and the scheme and case of the host say nothing about what is meant. */
function below(text: string, baseUrl: string): string {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const merged = text.replace(/^(https?):\/+/i, '$1://');
  if (isAbsolute(merged)) {
    if (!URL.canParse(merged) || new URL(merged).host !== base.host) return merged;
    const path = /^[^:]+:\/\/[^/]*(.*)$/s.exec(merged)?.[1] ?? '';
    return path === prefix || path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : merged;
  }
  if (prefix !== '' && merged.startsWith(`${prefix}/`)) return merged.slice(prefix.length + 1);
  return merged.replace(/^\/+/, '');
}

/** The URI-R within a URI-G, URI-T or URI-M. */
function unwrapped(path: string): string | undefined {
  return /^(?:timegate|memento\/\d{1,14}|timemap\/(?:link|json|html)(?:\/\d+(?=\/))?)\/(.+)$/s.exec(
    path,
  )?.[1];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function itemAt({ database: { reader } }: Bridge, path: string): Promise<StoredItem | undefined> {
  const [, source, segment] = /^([a-z0-9-]+)\/items\/([^/]+)(?:\/.*)?$/.exec(path) ?? [];
  if (source === undefined || segment === undefined) return undefined;
  if (path !== `${source}/items/${segment}`) return undefined;
  return findItemAt(reader, source, segment);
}

async function itemsCalled({ database: { reader } }: Bridge, text: string): Promise<readonly StoredItem[]> {
  const items: StoredItem[] = [];
  for (const source of (await readJournals(reader)).keys()) {
    const item = await findItem(reader, source, text);
    if (item) items.push(item);
  }
  return items;
}

/** A source and its private sets have the same items, each where the repository says that it is now. */
async function onePerFamily(
  { database }: Bridge,
  items: readonly StoredItem[],
): Promise<readonly StoredItem[]> {
  if (items.length < 2) return items;
  const parts = await listPrivateParts(database.reader);
  const found = new Map<string, StoredItem>();
  for (const item of items) {
    const root = parts.get(item.source) ?? item.source;
    if (!found.get(root)?.resources.length) found.set(root, item);
  }
  return [...found.values()];
}

/** A version that is shown as the past of an item, by its identifier, the page that it would have, or its handle. */
async function versionOfItem(bridge: Bridge, text: string): Promise<BridgeError | undefined> {
  const pages = pathsIn(text, bridge.config.baseUrl).flatMap((path) => {
    const [, source, segment = ''] = /^([a-z0-9-]+)\/items\/([^/]+)\/?$/.exec(path) ?? [];
    const identifier = fromSegment(segment);
    return source === undefined || identifier === undefined ? [] : [{ source, identifier }];
  });
  const handle = /^https?:\/\/[^/]+\/(?:handle\/)?(\d[\d.]*\/[^\s?#]+)$/i.exec(text)?.[1];
  const names = [{ identifier: text }, ...pages, ...(handle === undefined ? [] : [{ handle }])];
  for (const name of names) {
    const items = await findItemsWithVersion(bridge.database.reader, name);
    const [item] = 'source' in name ? items.filter(({ source }) => source === name.source) : items;
    if (!item) continue;
    const page = toUri(bridge.config.baseUrl, itemPath(item.source, item.identifier));
    return refusal(code, 'version-of-item', { text, item: item.identifier, page });
  }
  return undefined;
}

const namedAtMost = 10;

const code = 'unknown-resource';

async function whatIsNear(bridge: Bridge, text: string, paths: readonly string[]): Promise<BridgeError> {
  const { config, database } = bridge;
  const names = Object.keys(config.sources).join(', ') || 'none';
  const path = paths.at(-1) ?? '';
  if (isAbsolute(path) && /^https?:/i.test(path)) {
    return refusal(code, 'address-elsewhere', { url: text, base: config.baseUrl, names });
  }
  const set = bridge.sets().find((one) => {
    const { resourceList, capabilityList } = setPaths(one);
    return path === resourceList || path === capabilityList;
  });
  if (set) {
    return refusal(code, 'uri-of-document', { uri: toUri(config.baseUrl, path) });
  }
  const [, source, segment] = /^([^/]+)\/items\/([^/]+)\//.exec(path) ?? [];
  const item =
    source === undefined || segment === undefined
      ? undefined
      : await findItemAt(database.reader, source, segment);
  if (item) {
    const uris = item.resources.slice(0, namedAtMost).map((one) => toUri(config.baseUrl, one.path));
    return refusal(code, 'resource-unknown', { text, names: uris.join(', ') || 'no resources' });
  }
  const first = path.split('/', 1)[0] ?? '';
  const known = { base: config.baseUrl, names };
  return path.includes('/items/') && !Object.hasOwn(config.sources, first)
    ? refusal(code, 'source-of-path-unknown', { name: first, ...known })
    : refusal(code, 'item-unknown', { text, ...known });
}

function pageOf({ config }: Bridge, { source, identifier }: StoredItem): string {
  return toUri(config.baseUrl, itemPath(source, identifier));
}
