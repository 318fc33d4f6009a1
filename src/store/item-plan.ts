import type { FileOrigin, SourceFile } from '../core/adapter.ts';
import { describing, type MappedItem, placeFiles, toFileResource } from '../core/mapping.ts';
import {
  chooseFiles,
  type FileRules,
  hasNoFormatWithFiles,
  type SeenFile,
  type StatedFile,
} from '../core/published-files.ts';
import type { ChangeKind, DesiredResource, Link } from '../core/resource.ts';
import { parseLinks, serializeLinks } from './rows.ts';

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
  readonly landing_page: string | null;
  readonly links: string;
  readonly last_seq: number;
  readonly version_count: number;
  readonly deleted_at: string | null;
  /** The last run that met it. */
  readonly seen_run: number | null;
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
  /**
   * The last run that met it, where it is not the one that makes the change: links that follow another resource
   * say nothing about whether the upstream still has this one. Undefined: this run.
   */
  readonly seenRun?: number | null;
}

/** The files of a source, as planning needs to know them. */
export interface FileContext {
  readonly rules: FileRules;
  /** What is known of a URL. */
  seen(url: string): SeenFile | undefined;
  /** In mode `link`: whether another item publishes this URL already; one URI is one resource. */
  isTaken(url: string): boolean;
  /** ISO UTC. */
  readonly now: string;
}

/** What has to be done about one item: pure data. */
export interface ItemChanges {
  readonly changes: readonly ResourcePlan[];
  /** Metadata that the delivery brought and that needs nothing, and files that stay. */
  readonly unchanged: readonly number[];
  /** Changes of what was delivered itself, not of what is linked with it. */
  readonly delivered: readonly ResourcePlan[];
  /** What an origin states now; undefined: as before. */
  readonly restated: { readonly origin: FileOrigin; readonly files: readonly SourceFile[] } | undefined;
  /** URLs nobody has asked for yet. */
  readonly unasked: readonly string[];
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
  const { published, candidates, left } = chooseFiles(
    stated,
    (url) => context.seen(url),
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

  const plans = new Plans(item, delivery ? undefined : latestSeen(metadata));
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
    plans.accompany(toFileResource(owner, file, path), before, waits);
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
  const same =
    before.length === item.files.length &&
    before.every((file, index) => isSameStatement(file, { ...item.files[index], origin }));
  return same ? undefined : { origin, files: item.files };
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

function isSameStatement(a: StatedFile, b: Partial<SourceFile> & { readonly origin: FileOrigin }): boolean {
  return a.origin.rank === b.origin.rank && statedFacts.every((fact) => a[fact] === b[fact]);
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

/** The changes of one item, as they come up. */
class Plans {
  readonly #facts: Pick<ResourcePlan, 'identifier' | 'datestamp' | 'seenRun'>;
  readonly #changes: ResourcePlan[] = [];
  readonly #delivered: ResourcePlan[] = [];
  readonly #unchanged: number[] = [];
  deferred = false;

  /** @param seenRun for all of them; undefined: they are met now */
  constructor({ identifier, datestamp }: MappedItem, seenRun: number | null | undefined) {
    this.#facts = { identifier, datestamp, ...(seenRun === undefined ? {} : { seenRun }) };
  }

  result(): Pick<ItemChanges, 'changes' | 'delivered' | 'unchanged'> {
    return { changes: this.#changes, delivered: this.#delivered, unchanged: this.#unchanged };
  }

  /** Metadata that came. */
  deliver(desired: DesiredResource, known: KnownResource | undefined): void {
    const plan = this.#compare(desired, known);
    if (plan) {
      this.#changes.push(plan);
      this.#delivered.push(plan);
    } else if (known) this.#unchanged.push(known.id);
  }

  /** Metadata that the upstream says is gone. */
  remove(known: KnownResource): void {
    const plan = this.#deletion(known);
    this.#changes.push(plan);
    this.#delivered.push(plan);
  }

  /** A file; what is there already stays as it is while formats are awaited. */
  accompany(desired: DesiredResource, known: KnownResource | undefined, waits: boolean): void {
    const plan = this.#compare(desired, known);
    if (plan && (plan.change === 'created' || !waits)) this.#changes.push(plan);
    else {
      this.deferred ||= plan !== undefined;
      if (known) this.#unchanged.push(known.id);
    }
  }

  leave(known: KnownResource, waits: boolean): void {
    if (!waits) this.#changes.push(this.#deletion(known));
    else {
      this.deferred = true;
      this.#unchanged.push(known.id);
    }
  }

  /** Metadata that did not come: only what it describes may be new. */
  relink(known: KnownResource, files: readonly string[], waits: boolean): void {
    const before = parseLinks(known.links);
    const links = describing(before, files, known.landing_page ?? undefined);
    if (isSame(links, before)) return;
    if (waits) {
      this.deferred = true;
      return;
    }
    const desired = toDesired(known, links);
    this.#changes.push({
      ...this.#facts,
      change: 'updated',
      known,
      desired,
      links: serializeLinks(links),
      newBytes: false,
      seenRun: known.seen_run,
    });
  }

  #deletion(known: KnownResource): ResourcePlan {
    return {
      ...this.#facts,
      change: 'deleted',
      known,
      desired: undefined,
      links: '[]',
      newBytes: false,
    };
  }

  /** Undefined where nothing has changed. */
  #compare(desired: DesiredResource, known: KnownResource | undefined): ResourcePlan | undefined {
    const links = serializeLinks(desired.links);
    const plan = { ...this.#facts, known, desired, links };
    if (!known || known.deleted_at !== null) return { ...plan, change: 'created', newBytes: true };
    const sameBytes =
      known.hash === (desired.hash ?? null) &&
      known.length === (desired.length ?? null) &&
      known.media_type === (desired.mediaType ?? null) &&
      !isNewer(desired, known);
    if (sameBytes && known.links === links) return undefined;
    return { ...plan, change: 'updated', newBytes: !sameBytes };
  }
}

/** Of a mirrored file the hash says whether it is another; of others their server's word has to do. */
function isNewer({ lastModified, hash }: DesiredResource, known: KnownResource): boolean {
  if (lastModified === undefined || lastModified <= known.lastmod) return false;
  return !(hash?.startsWith('sha-256:') && hash === known.hash);
}

function isSame(a: readonly Link[], b: readonly Link[]): boolean {
  return serializeLinks(a) === serializeLinks(b);
}

function toDesired(known: KnownResource, links: readonly Link[]): DesiredResource {
  const { path, format, media_type, length, hash, upstream_url, landing_page } = known;
  return {
    path,
    kind: 'metadata',
    format,
    mediaType: media_type ?? undefined,
    length: length ?? undefined,
    hash: hash ?? undefined,
    upstreamUrl: upstream_url ?? undefined,
    landingPage: landing_page ?? undefined,
    links,
  };
}
