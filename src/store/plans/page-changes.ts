import { earlier, later } from '../../core/datetime.ts';
import { inCollections, type MappedItem } from '../../core/mapping/mapping.ts';
import { type ItemChanges, type KnownItem, type MovedFile, planItem } from './item-changes.ts';
import type { FileContext, Redelivered } from './known-files.ts';
import type { Learnt, ResourceChange } from './resource-changes.ts';
import type { Restated } from './statements.ts';

/** The difference between a page and the store: pure data, made before the transaction begins. */
export interface PageChanges {
  readonly items: readonly ChangedItem[];
  readonly changes: readonly ResourceChange[];
  /** Ids of resources that the page met and that need nothing. */
  readonly unchanged: readonly number[];
  readonly learnt: readonly Learnt[];
  /** Items that the run met before with other content and no older datestamp: the first word stands. */
  readonly repeated: readonly string[];
  /** What origins state now, by item. */
  readonly restated: readonly Restatement[];
  /** URLs of files that nobody has asked for yet. */
  readonly unasked: readonly string[];
  /** Files that were stated once more. */
  readonly redelivered: Redelivered;
  /** Files that have another URL than before. */
  readonly moved: readonly MovedFile[];
  /** Files that are left out because their item has so many. */
  readonly left: readonly { readonly identifier: string; readonly left: number }[];
}

export interface Restatement extends Restated {
  readonly identifier: string;
}

/** An item that is new, or of which the store says something else. */
export interface ChangedItem {
  readonly identifier: string;
  readonly datestamp: string | undefined;
  /** Undefined: they are as stored. */
  readonly collections: readonly string[] | undefined;
  readonly unsettled: boolean;
  readonly landingDue: string | null;
  readonly restated: boolean;
}

export interface PageToPlan {
  readonly source: string;
  readonly items: readonly MappedItem[];
  /** Formats that may still come for these items in this run. */
  readonly awaited: readonly string[];
  /** Items that the run has met and could not read; default none. */
  readonly unread?: ReadonlySet<string>;
}

/** @param runId of the run the page belongs to, if it is one that is stored */
export function planPage(
  { source, items, awaited, unread }: PageToPlan,
  known: ReadonlyMap<string, KnownItem>,
  context: FileContext,
  runId?: number,
): PageChanges {
  const plan = {
    items: [] as ChangedItem[],
    changes: [] as ResourceChange[],
    unchanged: [] as number[],
    learnt: [] as Learnt[],
    repeated: [] as string[],
    restated: [] as Restatement[],
    unasked: [] as string[],
    redelivered: {
      urls: [] as string[],
      restated: [] as string[],
      ifChanged: [] as string[],
      always: [] as string[],
    },
    moved: [] as MovedFile[],
    left: [] as { identifier: string; left: number }[],
  };
  for (const delivered of withoutRepetition(items)) {
    const { identifier } = delivered;
    const stored = known.get(identifier);
    const item = delivered.supplement ? asSupplement(source, delivered, stored) : delivered;
    // A tombstone of something we never had is no news (quirk 62).
    if (item.deleted && !stored) continue;
    const result = planItem(source, stored, { item, awaited }, context);
    if (!unread?.has(identifier) && isRepetition(item, stored, result.delivered, runId)) {
      plan.repeated.push(identifier);
      continue;
    }
    const changed = changedItem(item, stored, result);
    if (changed) plan.items.push(changed);
    plan.changes.push(...result.changes);
    plan.unchanged.push(...result.unchanged);
    plan.learnt.push(...result.learnt);
    plan.unasked.push(...result.unasked);
    for (const kind of redeliveries) plan.redelivered[kind].push(...result.redelivered[kind]);
    plan.moved.push(...result.moved);
    if (result.restated) plan.restated.push({ identifier, ...result.restated });
    if (result.left > 0) plan.left.push({ identifier, left: result.left });
    context.take(result.changes);
  }
  return plan;
}

const redeliveries = ['urls', 'restated', 'ifChanged', 'always'] as const;

/**
 * More of an item that is there without it, in the collections in which that is; of one that is not, or not any
 * more, nothing.
 */
function asSupplement(source: string, item: MappedItem, stored: KnownItem | undefined): MappedItem {
  const spokenFor = new Set(item.speaksFor.formats);
  const lives = stored?.resources.some(
    ({ kind, deleted_at, format }) => kind === 'metadata' && deleted_at === null && !spokenFor.has(format),
  );
  if (!stored || !lives) return { ...item, deleted: true, resources: [], files: [] };
  const { collections } = stored;
  const resources = item.resources.map((resource) => inCollections(source, resource, collections));
  return { ...item, collections, resources };
}

/** The same identifier on two pages of one list would otherwise be two updates in every pass (quirk 68). */
function isRepetition(
  item: MappedItem,
  stored: KnownItem | undefined,
  delivered: readonly ResourceChange[],
  runId: number | undefined,
): boolean {
  if (!stored || runId === undefined || (item.datestamp ?? '') > (stored.datestamp ?? '')) return false;
  return (
    delivered.length > 0 &&
    delivered.every(({ change, known }) => change === 'updated' && known?.seen_run === runId)
  );
}

/** The same item twice in one page: the later word counts, resource by resource (quirk 68). */
function withoutRepetition(items: readonly MappedItem[]): Iterable<MappedItem> {
  const byIdentifier = new Map<string, MappedItem>();
  for (const item of items) {
    const before = byIdentifier.get(item.identifier);
    byIdentifier.set(item.identifier, before ? merge(before, item) : item);
  }
  return byIdentifier.size === items.length ? items : byIdentifier.values();
}

function merge(before: MappedItem, item: MappedItem): MappedItem {
  const kept = before.resources.filter(({ format }) => !item.speaksFor.formats.includes(format));
  return {
    ...item,
    speaksFor: {
      formats: [...new Set([...before.speaksFor.formats, ...item.speaksFor.formats])],
      files: item.speaksFor.files ?? before.speaksFor.files,
    },
    deleted: item.deleted && kept.length === 0,
    resources: [...kept, ...item.resources],
    files: item.speaksFor.files ? item.files : before.files,
    supplement: before.supplement && item.supplement,
    versions: item.versions ?? before.versions,
  };
}

function changedItem(
  item: MappedItem,
  stored: KnownItem | undefined,
  { unsettled, landingDue, restatedFiles }: ItemChanges,
): ChangedItem | undefined {
  const { identifier } = item;
  // A supplement has the date of another index.
  const datestamp = item.supplement && stored ? (stored.datestamp ?? undefined) : item.datestamp;
  const state = {
    unsettled,
    restated: restatedFiles,
    landingDue: landingDue === undefined ? (stored?.landingDue ?? null) : landingDue,
  };
  if (!stored) return { identifier, datestamp, collections: item.collections, ...state };
  // Tombstones often come without their sets (quirk 63): they do not take the item out of its collections.
  const moved = !item.deleted && !sameMembers(item.collections, stored.collections);
  const sameState =
    unsettled === stored.unsettled && restatedFiles === stored.restated && landingDue === undefined;
  if (!moved && sameState && (datestamp ?? null) === stored.datestamp) return undefined;
  return { identifier, datestamp, collections: moved ? item.collections : undefined, ...state };
}

/** @param delivered a header may name a set twice */
function sameMembers(delivered: readonly string[], stored: readonly string[]): boolean {
  const distinct = new Set(delivered);
  return distinct.size === stored.length && stored.every((member) => distinct.has(member));
}

/**
 * The `lastmod` of a resource after a change at `at`: what the upstream says, but never in our future, never
 * before what was already published, and moved on when bytes change without it. What goes, goes at `at`: clients
 * that know of no `datetime` put the changes of a resource in the order of their `lastmod`.
 *
 * Bytes that are ours have changed when ours did, whatever moment between two harvests the upstream dates that to:
 * until then we handed out the others (RS-TIME-11), and a memento is of what was handed out. So the time of
 * mementos, which is `lastmod` (RS-LN-20), and that of the journal are one. Where a Source says when these very bytes
 * changed, it is its history that is handed on (RS-LN-27).
 */
export function lastmodAfter(plan: ResourceChange, at: string): string {
  const { desired } = plan;
  // Nobody but the upstream answers for what the lists link to: its `Last-Modified` is the word (RS-TIME-11).
  if (desired?.lastModified !== undefined && desired.path === desired.upstreamUrl)
    return earlier(desired.lastModified, at);
  const stated = earlier(plan.desired?.lastModified ?? plan.datestamp ?? at, at);
  const before = plan.known?.lastmod;
  if (before === undefined) return stated;
  // The same bytes under other links.
  if (plan.change === 'updated' && !plan.newBytes) return before;
  return isElsewhere(plan) && stated > before ? stated : later(at, before);
}

/** When it changed is for its server to say: a file whose bytes we do not keep, metadata of which a Source says so. */
function isElsewhere({ desired }: ResourceChange): boolean {
  if (desired?.kind === 'metadata') return desired.lastModified !== undefined;
  return desired?.kind === 'file' && desired.hash?.startsWith('sha-256:') !== true;
}
