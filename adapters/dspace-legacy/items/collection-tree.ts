import type { Collection } from '../../../src/core/adapter.ts';
import { collectionKey } from '../../../src/core/dspace/collection-key.ts';
import { asCount, asHandle, asObject, asText, idOf, type JsonObject, objectsOf } from '../rest/json-value.ts';
import { isBroken, isNotFound, isRefused } from '../rest/rest-error.ts';
import type { LegacyRest } from '../rest/rest-service.ts';

/** A collection or a community. */
export interface TreeNode {
  readonly id: string;
  readonly kind: 'collection' | 'community';
  /** As the OAI-PMH endpoint calls it: `col_123456789_2`, `com_123456789_1`. */
  readonly key: string;
  readonly handle: string | undefined;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** Communities that are known to hold it, directly or not. */
  readonly parents: readonly string[];
  /** What it says to hold, items included that not everybody may read. */
  readonly numberItems: number | undefined;
}

const pageSize = 100;
/** Some of DSpace 5 take no notice of `offset`: then everything is asked for at once. */
const everything = 100_000;
/** What is not for everybody is left out of pages, not moved up. */
const emptyPages = 3;

/** All communities and collections that everybody may read. */
export class CollectionTree {
  readonly #collections = new Map<string, TreeNode>();
  readonly #communities = new Map<string, TreeNode>();

  static async load(rest: LegacyRest, signal: AbortSignal): Promise<CollectionTree> {
    const tree = new CollectionTree();
    const communities = await listOf(rest, '/communities', 'parentCommunity', signal);
    for (const json of communities) tree.#add('community', json);
    const collections = await listOf(rest, '/collections', 'parentCommunity,parentCommunityList', signal);
    for (const json of collections) tree.#add('collection', json);
    return tree;
  }

  /** In an order that stays: by id. */
  get collections(): readonly TreeNode[] {
    return [...this.#collections.values()].sort((a, b) => compareIds(a.id, b.id));
  }

  collection(id: string): TreeNode | undefined {
    return this.#collections.get(id);
  }

  /** The node's own key and those of all communities above it, without repetition, in an order that stays. */
  keysOf(node: TreeNode): readonly string[] {
    return [node.key, ...this.ancestorKeys([node])];
  }

  ancestorKeys(nodes: readonly TreeNode[]): readonly string[] {
    const ancestors = new Map<string, TreeNode>();
    const open = nodes.flatMap(({ parents }) => parents);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const community = this.#communities.get(id);
      if (community === undefined || ancestors.has(id)) continue;
      ancestors.set(id, community);
      open.push(...community.parents);
    }
    return [...new Set([...ancestors.values()].map(({ key }) => key))].sort();
  }

  /**
   * A collection as an item names it, which may be one that the list of collections leaves out.
   * @returns undefined for what is none
   */
  toNode(kind: TreeNode['kind'], json: JsonObject): TreeNode | undefined {
    const id = idOf(json);
    if (id === undefined) return undefined;
    const listed = kind === 'collection' ? this.#collections.get(id) : this.#communities.get(id);
    return listed ?? nodeOf(kind, id, json);
  }

  /** Whether an item in these collections is wanted. */
  static isSelected(keys: readonly string[], selected: readonly string[] | undefined): boolean {
    return selected === undefined || keys.some((key) => selected.includes(key));
  }

  *list(): Generator<Collection> {
    for (const { key, name, description } of [...this.#communities.values(), ...this.collections]) {
      yield { spec: key, name: name ?? key, ...(description === undefined ? {} : { description }) };
    }
  }

  #add(kind: TreeNode['kind'], json: JsonObject): void {
    const id = idOf(json);
    if (id === undefined) return;
    const nodes = kind === 'collection' ? this.#collections : this.#communities;
    nodes.set(id, nodeOf(kind, id, json));
    for (const parent of parentsOf(json)) {
      const parentId = idOf(parent);
      // It is named, if not listed.
      if (parentId !== undefined && !this.#communities.has(parentId))
        this.#communities.set(parentId, nodeOf('community', parentId, parent));
    }
  }
}

/** Ids of either kind; numbers by their value. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function nodeOf(kind: TreeNode['kind'], id: string, json: JsonObject): TreeNode {
  const handle = asHandle(json.handle);
  return {
    id,
    kind,
    key: collectionKey(kind, handle, id),
    handle,
    name: asText(json.name)?.trim(),
    description: asText(json.shortDescription)?.trim(),
    parents: parentsOf(json).flatMap((parent) => idOf(parent) ?? []),
    numberItems: asCount(json.numberItems),
  };
}

function parentsOf(json: JsonObject): readonly JsonObject[] {
  const direct = asObject(json.parentCommunity);
  return [...(direct === undefined ? [] : [direct]), ...objectsOf(json.parentCommunityList)];
}

/** @throws BridgeError; what is refused or not there is empty, where only communities are concerned */
async function listOf(
  rest: LegacyRest,
  path: '/communities' | '/collections',
  expand: string,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const rows = new Map<string, JsonObject>();
  const ask = async (limit: number, offset: number) => {
    const query = [
      ['expand', expand],
      ['limit', String(limit)],
      ['offset', String(offset)],
    ] as const;
    return objectsOf(await rest.get(path, query, signal));
  };
  const take = (page: readonly JsonObject[]): boolean => {
    const before = rows.size;
    for (const json of page) rows.set(idOf(json) ?? '', json);
    return rows.size > before;
  };
  try {
    let empty = 0;
    for (let offset = 0; empty < emptyPages && offset < everything; offset += pageSize) {
      const page = await ask(pageSize, offset);
      if (page.length > 0 && !take(page)) {
        // Once more the same: the offset was not heard.
        take(await ask(everything, 0));
        break;
      }
      empty = page.length === 0 ? empty + 1 : 0;
    }
  } catch (error) {
    const isOptional = path === '/communities' && (isBroken(error) || isNotFound(error) || isRefused(error));
    if (!isOptional) throw error;
    const site = asObject(await rest.get('/hierarchy', [], signal).catch(() => undefined));
    signal.throwIfAborted();
    for (const json of site === undefined ? [] : withParents(site)) rows.set(idOf(json) ?? '', json);
  }
  rows.delete('');
  return [...rows.values()];
}

const deepest = 100;

/** The communities of `/hierarchy` (DSpace 6), each with the one that it is in. */
function* withParents(site: JsonObject, parent?: JsonObject, depth = 0): Generator<JsonObject> {
  if (depth > deepest) return;
  for (const community of objectsOf(site.community)) {
    const { id, name, handle } = community;
    yield { id, name, handle, ...(parent === undefined ? {} : { parentCommunity: parent }) };
    yield* withParents(community, { id, name, handle }, depth + 1);
  }
}
