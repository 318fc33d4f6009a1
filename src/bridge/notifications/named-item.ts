import { itemNames } from '../../core/notifications/item-names.ts';
import { wantedOf } from '../../core/search/words.ts';
import { anyIdentifier, findItemAt, hasItem } from '../../store/reading/items.ts';
import { search } from '../../store/search/search.ts';
import { findSource } from '../../store/sources/sources.ts';
import type { StoredBridge } from '../stored-bridge.ts';

export interface NamedItem {
  readonly source: string;
  readonly identifier: string;
}

type Stored = Pick<StoredBridge, 'config' | 'database'>;

/**
 * The item that somebody names by an address, among those of some sources: by what is in store, and by how repositories
 * make their addresses. Nothing is fetched.
 * @param names the likeliest first
 */
export async function findNamed(
  bridge: Stored,
  sources: readonly string[],
  names: readonly string[],
): Promise<NamedItem | undefined> {
  const configured = sources.filter((source) => Object.hasOwn(bridge.config.sources, source));
  let guessed: NamedItem | undefined;
  for (const name of names) {
    const own = await ofOurs(bridge, configured, name);
    if (own) return own;
    for (const source of configured) {
      const { stored, certain } = await inSource(bridge, source, name);
      if (stored !== undefined) return { source, identifier: stored };
      if (certain !== undefined) guessed ??= { source, identifier: certain };
    }
  }
  // It may be new: its repository is asked, and knows.
  return guessed;
}

/** The page of an item with us, or something of it. */
async function ofOurs(
  { config, database }: Stored,
  sources: readonly string[],
  name: string,
): Promise<NamedItem | undefined> {
  if (!name.startsWith(`${config.baseUrl}/`)) return undefined;
  const path = name.slice(config.baseUrl.length + 1);
  const [, source = '', segment = ''] = /^([a-z0-9-]+)\/items\/([^/?#]+)/.exec(path) ?? [];
  if (!sources.includes(source)) return undefined;
  const item = await findItemAt(database.reader, source, segment);
  return item && { source, identifier: item.identifier };
}

async function inSource(
  { config, database: { reader } }: Stored,
  source: string,
  name: string,
): Promise<{ readonly stored?: string; readonly certain?: string | undefined }> {
  const { host } = new URL(config.sources[source]?.url ?? 'http://nowhere.invalid');
  const known = await anyIdentifier(reader, source);
  const { likely, certain, persistent } = itemNames(name, { host, known });
  for (const identifier of likely)
    if (await hasItem(reader, source, identifier)) return { stored: identifier };
  const found = persistent === undefined ? undefined : await describedAs(reader, source, persistent);
  return found === undefined ? { certain } : { stored: found };
}

/** By its DOI or Handle, if one item alone has that among its words. */
async function describedAs(
  reader: Stored['database']['reader'],
  source: string,
  persistent: string,
): Promise<string | undefined> {
  const stored = await findSource(reader, source);
  if (stored === undefined) return undefined;
  const question = { wanted: wantedOf(persistent), sourceId: stored.id, limit: 2 };
  const { items } = await search(reader, question, () => true);
  return items.length === 1 ? items[0]?.identifier : undefined;
}
