import type {
  Checkpoint,
  IdentifierEntry,
  IdentifierPage,
  Page,
  Problem,
  SourceItem,
} from '../../../src/core/adapter.ts';
import { rawRecord } from '../../../src/core/problem.ts';
import type { CollectionTree, TreeNode } from '../items/collection-tree.ts';
import { compareIds } from '../items/collection-tree.ts';
import type { ItemIdentity } from '../items/item-identity.ts';
import type { ItemLookup } from '../items/item-lookup.ts';
import type { ItemReader, ReadItem } from '../items/item-reader.ts';
import { asFlag, asHandle, asObject, idOf, objectsOf } from '../rest/json-value.ts';
import { type CollectionWalk, fromWalkState, type WalkedRows, type WalkState } from './collection-walk.ts';

export interface WalkedItems {
  readonly walk: CollectionWalk;
  /** Ids of the collections that are walked. */
  readonly walked: ReadonlySet<string>;
  readonly lookup: ItemLookup;
  readonly reader: ItemReader;
  readonly identity: ItemIdentity;
}

/** The items of all walked collections, each once. Checkpoints are states of the walk. */
export async function* walkedItems(
  parts: WalkedItems,
  from: WalkState | undefined,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  for await (const part of parts.walk.rows(from, signal)) {
    const items: SourceItem[] = [];
    const problems: Problem[] = [...part.problems];
    for (const row of part.rows) {
      const read = await readRow(parts, part, row, signal);
      if (read === undefined) continue;
      if ('problem' in read) problems.push({ ...read.problem, raw: rawRecord(JSON.stringify(row) ?? '') });
      else items.push('item' in read ? read.item : read.hidden);
    }
    yield { items, problems, checkpoint: checkpointOf(part) };
  }
}

async function readRow(
  { walked, lookup, reader, identity }: WalkedItems,
  { collection, bare, state }: WalkedRows,
  row: unknown,
  signal: AbortSignal,
): Promise<ReadItem | undefined> {
  if (!bare) return isAtHome(row, collection, walked, state) ? reader.read(row, collection) : undefined;
  const json = asObject(row);
  const id = json && idOf(json);
  if (id === undefined) return reader.read(row);
  const found = await lookup.find({ id }, signal);
  // It was there a moment ago: what has become of it, the next walk tells.
  if (typeof found !== 'object') return undefined;
  if (!('broken' in found)) return found;
  const identifier = identity.identifierOf(asHandle(json?.handle), id);
  const message = `its server fails on it: ${found.broken}`;
  return { problem: { code: 'record-quarantined', message, identifier } };
}

/**
 * An item in several collections is delivered with the first of them that shows its items, which needs no memory of
 * what has been delivered.
 */
function isAtHome(row: unknown, here: TreeNode, walked: ReadonlySet<string>, { denied }: WalkState): boolean {
  const json = asObject(row);
  const ids = objectsOf(json?.parentCollectionList).flatMap((collection) => idOf(collection) ?? []);
  const shown = ids.filter((id) => walked.has(id) && !denied.includes(id));
  return !shown.includes(here.id) || shown.every((id) => compareIds(here.id, id) <= 0);
}

/** The same walk by names alone. An item in several collections is listed with each of them. */
export async function* walkedIdentifiers(
  walk: CollectionWalk,
  tree: CollectionTree,
  identity: ItemIdentity,
  format: string,
  from: WalkState | undefined,
  signal: AbortSignal,
): AsyncGenerator<IdentifierPage> {
  for await (const part of walk.rows(from, signal)) {
    const collections = tree.keysOf(part.collection);
    const entries = part.rows.flatMap((row): IdentifierEntry[] => {
      const json = asObject(row);
      const id = json && idOf(json);
      if (json === undefined || id === undefined) return [];
      const identifier = identity.identifierOf(asHandle(json.handle), id);
      const deleted = asFlag(json.withdrawn) === true || asFlag(json.archived) === false;
      return [{ identifier, datestamp: undefined, collections, deleted }];
    });
    yield { format, entries, checkpoint: checkpointOf(part), problems: part.problems };
  }
}

function checkpointOf({ state }: WalkedRows): Checkpoint {
  return fromWalkState(state);
}
