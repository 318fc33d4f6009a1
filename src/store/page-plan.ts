import { earlier, later } from '../core/datetime.ts';
import type { MappedItem } from '../core/mapping.ts';
import type { ChangeKind, DesiredResource } from '../core/resource.ts';
import { serializeLinks } from './rows.ts';

/** What the store holds of the items of a page. */
export interface KnownItem {
  readonly id: number;
  readonly datestamp: string | null;
  readonly collections: readonly string[];
  readonly resources: readonly KnownResource[];
}

export interface KnownResource {
  readonly id: number;
  readonly path: string;
  readonly kind: string;
  readonly format: string;
  readonly media_type: string | null;
  readonly length: number | null;
  readonly hash: string | null;
  readonly lastmod: string;
  readonly upstream_url: string | null;
  readonly links: string;
  readonly last_seq: number;
  readonly version_count: number;
  readonly deleted_at: string | null;
  /** The last run that met it. */
  readonly seen_run: number | null;
}

/** The difference between a page and the store: pure data, made before the transaction begins. */
export interface PagePlan {
  readonly items: readonly ItemPlan[];
  readonly changes: readonly ResourcePlan[];
  /** Ids of resources that the page met and that need nothing. */
  readonly unchanged: readonly number[];
  /** Items that the run met before with other content and no older datestamp: the first word stands. */
  readonly repeated: readonly string[];
}

export interface ItemPlan {
  readonly identifier: string;
  readonly datestamp: string | undefined;
  /** Undefined: they are as stored. */
  readonly collections: readonly string[] | undefined;
}

export interface ResourcePlan {
  readonly change: ChangeKind;
  readonly identifier: string;
  readonly datestamp: string | undefined;
  readonly known: KnownResource | undefined;
  /** Undefined when deleted. */
  readonly desired: DesiredResource | undefined;
  readonly links: string;
  /** Whether the bytes are others than before: only then there is a new version and a new `lastmod`. */
  readonly newBytes: boolean;
}

/** @param runId of the run the page belongs to, if it is one that is stored */
export function planPage(
  items: readonly MappedItem[],
  known: ReadonlyMap<string, KnownItem>,
  runId?: number,
): PagePlan {
  const itemPlans: ItemPlan[] = [];
  const changes: ResourcePlan[] = [];
  const unchanged: number[] = [];
  const repeated: string[] = [];
  for (const item of withoutRepetition(items)) {
    const stored = known.get(item.identifier);
    // A tombstone of something we never had is no news (quirk 62).
    if (item.deleted && !stored) continue;
    const plans = [...planResources(item, stored)];
    if (isRepetition(item, stored, plans, runId)) {
      repeated.push(item.identifier);
      continue;
    }
    const itemPlan = planItem(item, stored);
    if (itemPlan) itemPlans.push(itemPlan);
    for (const plan of plans) {
      if (typeof plan === 'number') unchanged.push(plan);
      else changes.push(plan);
    }
  }
  return { items: itemPlans, changes, unchanged, repeated };
}

/** The same identifier on two pages of one list would otherwise be two updates in every pass (quirk 68). */
function isRepetition(
  item: MappedItem,
  stored: KnownItem | undefined,
  plans: readonly (ResourcePlan | number)[],
  runId: number | undefined,
): boolean {
  if (!stored || runId === undefined || (item.datestamp ?? '') > (stored.datestamp ?? '')) return false;
  const updates = plans.filter((plan) => typeof plan !== 'number');
  return (
    updates.length > 0 &&
    updates.every(({ change, known }) => change === 'updated' && known?.seen_run === runId)
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
  const kept = before.resources.filter((resource) => !isSpokenFor(item, resource));
  return {
    ...item,
    speaksFor: {
      formats: [...new Set([...before.speaksFor.formats, ...item.speaksFor.formats])],
      files: item.speaksFor.files ?? before.speaksFor.files,
    },
    deleted: item.deleted && kept.length === 0,
    resources: [...kept, ...item.resources],
  };
}

function planItem(item: MappedItem, stored: KnownItem | undefined): ItemPlan | undefined {
  const { identifier, datestamp } = item;
  if (!stored) return { identifier, datestamp, collections: item.collections };
  // Tombstones often come without their sets (quirk 63): they do not take the item out of its collections.
  const moved = !item.deleted && !sameMembers(item.collections, stored.collections);
  if (!moved && (datestamp ?? null) === stored.datestamp) return undefined;
  return { identifier, datestamp, collections: moved ? item.collections : undefined };
}

function* planResources(item: MappedItem, stored: KnownItem | undefined): Generator<ResourcePlan | number> {
  const knownByPath = new Map(stored?.resources.map((resource) => [resource.path, resource]));
  for (const desired of item.resources) {
    const known = knownByPath.get(desired.path);
    knownByPath.delete(desired.path);
    yield planResource(item, desired, known);
  }
  for (const known of knownByPath.values()) {
    if (known.deleted_at !== null || !isSpokenFor(item, known)) continue;
    yield { ...facts(item), change: 'deleted', known, desired: undefined, links: '[]', newBytes: false };
  }
}

function planResource(
  item: MappedItem,
  desired: DesiredResource,
  known: KnownResource | undefined,
): ResourcePlan | number {
  const links = serializeLinks(desired.links);
  const plan = { ...facts(item), known, desired, links };
  if (!known || known.deleted_at !== null) return { ...plan, change: 'created', newBytes: true };
  const sameBytes =
    known.hash === (desired.hash ?? null) &&
    known.length === (desired.length ?? null) &&
    known.media_type === (desired.mediaType ?? null);
  if (sameBytes && known.links === links) return known.id;
  return { ...plan, change: 'updated', newBytes: !sameBytes };
}

function facts(item: MappedItem) {
  return { identifier: item.identifier, datestamp: item.datestamp };
}

function isSpokenFor(item: MappedItem, resource: { kind: string; format: string }): boolean {
  return resource.kind === 'file'
    ? item.speaksFor.files !== undefined
    : item.speaksFor.formats.includes(resource.format);
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((member) => b.includes(member));
}

/**
 * The `lastmod` of a resource after a change at `at`: the upstream's datestamp, but never in our future,
 * never before what was already published, and moved on when bytes change without it. What goes, goes at `at`:
 * clients that know of no `datetime` put the changes of a resource in the order of their `lastmod`.
 */
export function lastmodAfter(plan: ResourcePlan, at: string): string {
  const stated = earlier(plan.datestamp ?? at, at);
  const before = plan.known?.lastmod;
  if (before === undefined) return stated;
  // The same bytes under other links.
  if (plan.change === 'updated' && !plan.newBytes) return before;
  return plan.change !== 'deleted' && stated > before ? stated : later(at, before);
}
