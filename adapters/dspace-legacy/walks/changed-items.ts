import type {
  Adapter,
  Checkpoint,
  IdentifierEntry,
  IdentifierPage,
  Page,
  Problem,
  SourceItem,
} from '../../../src/core/adapter.ts';
import { type ItemIdentity, parseOaiIdentifier } from '../items/item-identity.ts';
import type { FoundItem, ItemLookup } from '../items/item-lookup.ts';
import type { ItemReader } from '../items/item-reader.ts';

/** Items of one page of ours: so many requests may be lost when a run is broken off. */
const batch = 20;

export interface ChangedItems {
  readonly oai: Adapter;
  readonly lookup: ItemLookup;
  readonly reader: ItemReader;
  readonly identity: ItemIdentity;
  /** Items that may be read at a time. */
  readonly atOnce: number;
}

/** What OAI-PMH says has changed or gone since, each item as the REST service has it. Checkpoints are those of OAI-PMH. */
export async function* changedItems(
  parts: ChangedItems,
  request: { readonly since: string | undefined; readonly checkpoint: Checkpoint | undefined },
  signal: AbortSignal,
): AsyncGenerator<Page> {
  for await (const page of parts.oai.identifiers(request, signal)) {
    const entries = latestOf(page);
    const { problems, checkpoint } = page;
    for (let next = 0; next === 0 || next < entries.length; next += batch) {
      const isLast = next + batch >= entries.length;
      const delivered = await readAll(parts, entries.slice(next, next + batch), signal);
      yield {
        items: delivered.flatMap(({ item }) => item ?? []),
        problems: [...(next === 0 ? problems : []), ...delivered.flatMap(({ problem }) => problem ?? [])],
        checkpoint: isLast ? checkpoint : undefined,
      };
    }
  }
}

/** Each item once; what comes later was said later. */
function latestOf({ entries }: IdentifierPage): readonly IdentifierEntry[] {
  return [...new Map(entries.map((entry) => [entry.identifier, entry])).values()];
}

interface Delivered {
  readonly item?: SourceItem;
  readonly problem?: Problem;
}

async function readAll(
  parts: ChangedItems,
  entries: readonly IdentifierEntry[],
  signal: AbortSignal,
): Promise<readonly Delivered[]> {
  const delivered: Delivered[] = [];
  for (let next = 0; next < entries.length; next += parts.atOnce) {
    const some = entries.slice(next, next + parts.atOnce);
    delivered.push(...(await Promise.all(some.map((entry) => readOne(parts, entry, signal)))));
  }
  return delivered;
}

async function readOne(
  { lookup, reader, identity }: ChangedItems,
  entry: IdentifierEntry,
  signal: AbortSignal,
): Promise<Delivered> {
  const handle = parseOaiIdentifier(entry.identifier)?.handle;
  if (handle === undefined) return {};
  const identifier = identity.fromOai(entry.identifier);
  const found = await lookup.find({ handle }, signal);
  if (entry.deleted) {
    const known = identifier ?? nameOf(found);
    if (known === undefined) return {};
    // Withdrawn, private and restricted ones have a tombstone like those that are gone, which alone nobody knows of any more.
    return { item: found === 'unknown' ? reader.deleted(known) : reader.refused(known) };
  }
  if (typeof found === 'object' && 'item' in found) return { item: found.item };
  if (typeof found === 'object' && 'problem' in found) return { problem: found.problem };
  if (typeof found === 'object' && 'hidden' in found) return { item: found.hidden };
  if (found === 'refused') return identifier === undefined ? {} : { item: reader.refused(identifier) };
  const message =
    found === 'unknown'
      ? 'OAI-PMH says that it has changed, but the REST service does not know it'
      : `its server fails on it: ${found.broken}`;
  return { problem: { code: 'record-quarantined', message, identifier: identifier ?? entry.identifier } };
}

/** Of an item that OAI-PMH knows by its handle alone. */
function nameOf(found: FoundItem): string | undefined {
  if (typeof found !== 'object') return undefined;
  if ('item' in found) return found.item.identifier;
  return 'hidden' in found ? found.hidden.identifier : undefined;
}
