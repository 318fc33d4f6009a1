import type { FileOrigin, SourceFile } from '../core/adapter.ts';
import { describing, type MappedItem, placeFiles, toFileResource } from '../core/mapping.ts';
import {
  chooseFiles,
  type FileRules,
  hasNoFormatWithFiles,
  type SeenFile,
  type StatedFile,
} from '../core/published-files.ts';
import type { LinkedFiles } from './linked-files.ts';
import { type KnownResource, type PlannedChanges, ResourcePlans } from './resource-plan.ts';

/** What the store holds of an item. */
export interface KnownItem {
  readonly id: number;
  readonly identifier: string;
  readonly datestamp: string | null;
  readonly collections: readonly string[];
  readonly resources: readonly KnownResource[];
  /** What its origins state, whether it is published or not. */
  readonly files: readonly StatedFile[];
  readonly unsettled: boolean;
  /** When its landing page is to be looked at. */
  readonly landingDue: string | undefined;
}

/** The files of a source, as planning needs to know them. */
export interface FileContext extends LinkedFiles {
  readonly rules: FileRules;
  /** What is known of a URL. */
  seen(url: string): SeenFile | undefined;
  /** ISO UTC. */
  readonly now: string;
}

/** What has to be done about one item: pure data. */
export interface ItemChanges extends PlannedChanges {
  /** What an origin states now; undefined: as before. */
  readonly restated: { readonly origin: FileOrigin; readonly files: readonly SourceFile[] } | undefined;
  /** URLs nobody has asked for yet. */
  readonly unasked: readonly string[];
  /** URLs of which the record says something else than before. */
  readonly reasked: readonly string[];
  /** Something was left for when nothing is awaited any more. */
  readonly unsettled: boolean;
  /** Undefined: as it is; null: no need. */
  readonly landingDue: string | null | undefined;
  /** Files beyond `perItem`. */
  readonly left: number;
}

/** One delivery of an item, or none: then everything that is known is brought in line with itself. */
export interface Delivery {
  readonly item: MappedItem;
  /** Formats that may still come in this run. */
  readonly awaited: readonly string[];
}

/**
 * Brings an item's resources in line with a delivery and with each other. While formats are awaited, what is
 * published already is not touched for its links alone: the formats come one after the other, and each would
 * make an update of the same resources.
 */
export function planItem(
  source: string,
  known: KnownItem | undefined,
  delivery: Delivery | undefined,
  context: FileContext,
): ItemChanges {
  const item = delivery?.item ?? standing(known);
  const awaited = delivery?.awaited ?? [];
  const waits = awaited.length > 0;
  const stated = restate(known?.files ?? [], item);
  const reasked = restatedUrls(known?.files ?? [], item);
  const { published, candidates, left } = chooseFiles(
    stated,
    (url) => withoutDoubt(context.seen(url), reasked.has(url)),
    context.rules,
    context.now,
  );

  const metadata = (known?.resources ?? []).filter(({ kind }) => kind === 'metadata');
  const others = metadata.filter(
    ({ deleted_at, format }) => deleted_at === null && !item.speaksFor.formats.includes(format),
  );
  const formats = [
    ...item.resources.map(({ format }) => format),
    ...others.map(({ format }) => format),
  ].sort();
  // Only a newcomer is expected to come in every format.
  const isNew = !metadata.some(({ deleted_at }) => deleted_at === null);
  const expected = isNew && formats.length > 0 ? [...new Set([...formats, ...awaited])].sort() : formats;

  const files = expected.length === 0 ? [] : published;
  const collections = item.deleted ? (known?.collections ?? []) : item.collections;
  const identifier = item.identifier;
  const owner = { source, identifier, collections, formats: expected };
  const knownFiles = (known?.resources ?? []).filter(({ kind }) => kind === 'file');
  const paths = placesOf(owner, files, knownFiles, context.rules);

  const plans = new ResourcePlans(item, delivery ? undefined : latestSeen(metadata));
  const byPath = new Map(known?.resources.map((resource) => [resource.path, resource]));
  for (const desired of item.resources) {
    const links = describing(desired.links, paths, desired.landingPage);
    plans.deliver({ ...desired, links }, byPath.get(desired.path));
  }
  const delivered = new Set(item.resources.map(({ path }) => path));
  for (const gone of metadata) {
    const spokenFor = item.speaksFor.formats.includes(gone.format);
    if (spokenFor && gone.deleted_at === null && !delivered.has(gone.path)) plans.remove(gone);
  }
  // An origin that says nothing of the files leaves them alone while others are awaited.
  for (const [index, file] of files.entries()) {
    const path = paths[index] ?? '';
    const before = byPath.get(path);
    if (before === undefined && context.rules.mode === 'link' && context.isTaken(path)) continue;
    const others = context.describersOf(path, known?.id);
    plans.accompany(toFileResource(owner, file, path, others), before, waits);
  }
  const staying = new Set(paths);
  for (const gone of knownFiles) {
    if (gone.deleted_at === null && !staying.has(gone.path)) plans.leave(gone, waits);
  }
  for (const other of others) plans.relink(other, paths, waits);

  return {
    ...plans.result(),
    restated: restatement(known, item),
    unasked: candidates.filter((url) => context.seen(url) === undefined),
    reasked: [...reasked],
    unsettled: waits && (plans.deferred || expected.length > formats.length || (known?.unsettled ?? false)),
    landingDue: waits ? undefined : landingDue(known, item, stated, formats.length > 0, context),
    left,
  };
}

/** What an item is without a delivery: nothing is said, nothing is taken away. */
function standing(known: KnownItem | undefined): MappedItem {
  if (!known) throw new Error('an item without a delivery has to be known');
  const { identifier, datestamp, collections } = known;
  return {
    identifier,
    datestamp: datestamp ?? undefined,
    collections,
    speaksFor: { formats: [], files: undefined },
    deleted: false,
    resources: [],
    files: [],
  };
}

/** A file that is published between two runs has been met as long as what describes it. */
function latestSeen(metadata: readonly KnownResource[]): number | null {
  return metadata.reduce<number | null>(
    (latest, { deleted_at, seen_run }) =>
      deleted_at === null && (seen_run ?? 0) > (latest ?? 0) ? seen_run : latest,
    null,
  );
}

function restate(before: readonly StatedFile[], item: MappedItem): readonly StatedFile[] {
  const origin = item.speaksFor.files;
  if (!origin) return before;
  return [
    ...before.filter((file) => file.origin.name !== origin.name),
    ...item.files.map((file) => ({ ...file, origin })),
  ];
}

function restatement(known: KnownItem | undefined, item: MappedItem): ItemChanges['restated'] {
  const origin = item.speaksFor.files;
  if (!origin) return undefined;
  const before = (known?.files ?? []).filter((file) => file.origin.name === origin.name);
  return isSameStatement(before, item.files, origin) ? undefined : { origin, files: item.files };
}

const describedFacts = ['mediaType', 'length', 'hash', 'access', 'availableAt'] as const;

/** Whether two statements say the same of the bytes and of who may read them. */
export function isSameDescription(a: Partial<SourceFile>, b: Partial<SourceFile>): boolean {
  return describedFacts.every((fact) => a[fact] === b[fact]);
}

function restatedUrls(before: readonly StatedFile[], item: MappedItem): ReadonlySet<string> {
  const origin = item.speaksFor.files;
  if (!origin || before.length === 0) return new Set();
  const known = new Map(
    before.filter((file) => file.origin.name === origin.name).map((file) => [file.url, file]),
  );
  const restated = item.files.filter((file) => {
    const earlier = known.get(file.url);
    return earlier !== undefined && !isSameDescription(earlier, file);
  });
  return new Set(restated.map(({ url }) => url));
}

function withoutDoubt(seen: SeenFile | undefined, isRestated: boolean): SeenFile | undefined {
  return seen && isRestated ? { ...seen, changedAt: undefined } : seen;
}

const statedFacts = [
  'url',
  'name',
  'sequence',
  'mediaType',
  'length',
  'hash',
  'access',
  'availableAt',
  'version',
] as const;

/** Whether an origin states what it stated before. */
export function isSameStatement(
  before: readonly StatedFile[],
  files: readonly SourceFile[],
  { rank }: FileOrigin,
): boolean {
  return (
    before.length === files.length &&
    before.every((file, index) => {
      const now = files[index];
      return now && file.origin.rank === rank && statedFacts.every((fact) => file[fact] === now[fact]);
    })
  );
}

function placesOf(
  owner: { readonly source: string; readonly identifier: string },
  files: ReturnType<typeof chooseFiles>['published'],
  knownFiles: readonly KnownResource[],
  { mode }: FileRules,
): readonly string[] {
  if (mode === 'link') return files.map(({ url }) => url);
  const ours = knownFiles.filter(({ path }) => path.startsWith(`${owner.source}/`));
  return placeFiles(
    owner,
    files,
    new Map(ours.map(({ upstream_url, path }) => [upstream_url ?? path, path])),
  );
}

/** Looked for once an item has metadata with a landing page and no format that knows of files. */
function landingDue(
  known: KnownItem | undefined,
  item: MappedItem,
  stated: readonly StatedFile[],
  lives: boolean,
  { rules, now }: FileContext,
): string | null | undefined {
  const page =
    item.resources.some(({ landingPage }) => landingPage !== undefined) ||
    (known?.resources ?? []).some(
      ({ deleted_at, landing_page }) => deleted_at === null && landing_page !== null,
    );
  const wanted =
    rules.mode !== 'none' && rules.landingPages && lives && page && hasNoFormatWithFiles(stated, rules);
  if (wanted) return known?.landingDue === undefined ? now : undefined;
  return known?.landingDue === undefined ? undefined : null;
}
