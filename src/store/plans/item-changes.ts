import { chooseFiles, type FileRules, hasNoFormatWithFiles } from '../../core/files/published-files.ts';
import { type KnownPlaces, placeFiles, recognize } from '../../core/mapping/file-places.ts';
import {
  describing,
  type MappedItem,
  type MetadataTarget,
  toFileResource,
} from '../../core/mapping/mapping.ts';
import { metadataPath, xmlType } from '../../core/uris.ts';
import { filesOfItsOwn } from './former-item.ts';
import type { FileContext, Redelivered } from './known-files.ts';
import { type KnownResource, type PlannedChanges, ResourceChanges } from './resource-changes.ts';
import { type KnownStatements, type Restated, restate, type Statements, withoutDoubt } from './statements.ts';

/** What the store holds of an item. */
export interface KnownItem extends KnownStatements {
  readonly id: number;
  readonly identifier: string;
  readonly datestamp: string | null;
  readonly collections: readonly string[];
  readonly resources: readonly KnownResource[];
  readonly unsettled: boolean;
  /** When its landing page is to be looked at. */
  readonly landingDue: string | undefined;
  /** Its repository names other files than before, and not all of its records have followed yet. */
  readonly restated: boolean;
}

/** What has to be done about one item: pure data. */
export interface ItemChanges extends PlannedChanges {
  /** What an origin states now; undefined: as before. */
  readonly restated: Restated | undefined;
  /** URLs nobody has asked for yet. */
  readonly unasked: readonly string[];
  /** Files that the delivery states once more; none without a delivery. */
  readonly redelivered: Redelivered;
  /** Files that have another URL than before: what is known of the one is true of the other. */
  readonly moved: readonly MovedFile[];
  /** Something was left for when nothing is awaited any more. */
  readonly unsettled: boolean;
  /** The records that are awaited follow a new statement of files. */
  readonly restatedFiles: boolean;
  /** Undefined: as it is; null: no need. */
  readonly landingDue: string | null | undefined;
  /** Files beyond `perItem`. */
  readonly left: number;
}

export interface MovedFile {
  readonly from: string;
  readonly to: string;
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
  if (!known && delivery && statesNoFiles(delivery.item, context.rules))
    return planNewcomer(delivery, context);
  const item = delivery?.item ?? standing(known);
  const awaited = delivery?.awaited ?? [];
  const waits = awaited.length > 0;
  const statements = restate(known, item, context.rules);
  const { reasked } = statements;
  const stated = statements.files.filter(({ url }) => !context.isWithdrawn(url));
  const knownFiles = (known?.resources ?? []).filter(({ kind }) => kind === 'file');
  const living = new Set(
    knownFiles.flatMap(({ deleted_at, upstream_url, path }) =>
      deleted_at === null ? (upstream_url ?? path) : [],
    ),
  );
  const before = knownPlaces(source, knownFiles, context.rules);
  const own = knownPlaces(source, filesOfItsOwn(known, item, stated), context.rules);
  const recognized = recognize({ source, identifier: item.identifier }, stated, own);
  const seen = (url: string) => context.seen(movedFrom(url, recognized, context) ?? url);
  const { published, candidates, left } = chooseFiles(
    stated,
    (url) => withoutDoubt(seen(url), reasked.has(url)),
    context.rules,
    context.now,
    (url) => living.has(url) || living.has(recognized.get(url) ?? url),
  );

  const metadata = (known?.resources ?? []).filter(({ kind }) => kind === 'metadata');
  const others = besides(metadata, item, delivery && context.rules.formats);
  const formats = targetsOf(item, others);
  // Only a newcomer is expected to come in every format.
  const isNew = !metadata.some(({ deleted_at }) => deleted_at === null);
  const expected =
    isNew && formats.size > 0 ? withAwaited(formats, source, item.identifier, awaited) : formats;

  const files = expected.size === 0 ? [] : published;
  const collections = item.deleted ? (known?.collections ?? []) : item.collections;
  const identifier = item.identifier;
  const describedBy = [...expected].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, target]) => target);
  const owner = { source, identifier, collections, describedBy };
  const placed =
    context.rules.mode === 'link'
      ? files.map(({ url }) => url)
      : placeFiles(owner, files, before, recognized);

  const isRestated = known !== undefined && (known.restated || isOtherStatement(known, statements.restated));
  const changes = new ResourceChanges(item, delivery ? undefined : latestSeen(metadata), isRestated);
  const byPath = new Map(known?.resources.map((resource) => [resource.path, resource]));
  // What the operator has withdrawn stays so, wherever it comes from now.
  const named = new Set(delivery?.item.files.map(({ url }) => url));
  const isWithdrawn = (path: string) => isTakenDown(byPath.get(path), named);
  const paths = placed.filter((path) => !isWithdrawn(path));
  for (const desired of item.resources.filter(({ path }) => !isWithdrawn(path))) {
    const links = describing(desired.links, paths, desired.landingPage);
    changes.deliver({ ...desired, links }, byPath.get(desired.path));
  }
  const delivered = new Set(item.resources.map(({ path }) => path));
  // Then what it was in formats that nobody asks for any more is not for everybody, either.
  const isHidden = item.deleted && others.length === 0;
  for (const gone of metadata) {
    const spokenFor = item.speaksFor.formats.includes(gone.format);
    const isRefused = item.refused === true && (spokenFor || isHidden) && isOpen(gone);
    if (delivered.has(gone.path)) continue;
    if (isRefused || (spokenFor && gone.deleted_at === null)) changes.remove(gone, isRefused);
  }
  // An origin that says nothing of the files leaves them alone while others are awaited.
  for (const [index, file] of files.entries()) {
    const path = placed[index] ?? '';
    if (isWithdrawn(path)) continue;
    const present = byPath.get(path);
    if (present === undefined && context.rules.mode === 'link' && context.isTaken(path)) continue;
    const others = context.describersOf(path, known?.id);
    changes.accompany(toFileResource(owner, file, path, others), present, waits);
  }
  const staying = new Set(paths);
  for (const gone of knownFiles) {
    if (gone.deleted_at === null && !staying.has(gone.path)) changes.leave(gone, waits);
  }
  for (const other of others) changes.relink(other, paths, waits);

  const planned = changes.result();
  return {
    ...planned,
    restated: statements.restated,
    unasked: candidates.filter((url) => context.seen(url) === undefined),
    redelivered: delivery
      ? redeliver(known, delivery.item, statements, candidates, planned.delivered.length > 0)
      : nothingRedelivered,
    moved: candidates.flatMap((to) => {
      const from = movedFrom(to, recognized, context);
      return from === undefined ? [] : [{ from, to }];
    }),
    unsettled:
      waits &&
      (changes.deferred || isRestated || expected.size > formats.size || (known?.unsettled ?? false)),
    restatedFiles: waits && isRestated,
    landingDue: waits ? undefined : landingDue(known, item, statements, formats.size > 0, context),
    left,
  };
}

/**
 * By the operator. What is withheld for another reason comes back with a delivery.
 * @param named URLs of the files that it has
 */
function isTakenDown(resource: KnownResource | undefined, named: ReadonlySet<string>): boolean {
  if ((resource?.withdrawn_at ?? null) === null) return false;
  if ((resource?.refused_at ?? null) === null) return true;
  return resource?.kind === 'file' && !named.has(resource.upstream_url ?? resource.path);
}

/** What it is, or was, may be read. */
function isOpen({ withdrawn_at = null, deleted_at, refused_at = null }: KnownResource): boolean {
  return withdrawn_at === null || (refused_at !== null && deleted_at === null);
}

function statesNoFiles({ speaksFor, files }: MappedItem, { mode }: FileRules): boolean {
  const { files: origin } = speaksFor;
  return mode === 'none' || origin === undefined || (files.length === 0 && origin.rank > 0);
}

/** What `planItem` comes to where there is nothing but metadata, and all of it is new: nearly all of a first harvest. */
function planNewcomer({ item, awaited }: Delivery, context: FileContext): ItemChanges {
  const changes = new ResourceChanges(item, undefined);
  // As they are mapped: they describe the landing page, if there is one.
  for (const desired of item.resources) changes.deliver(desired, undefined);
  const waits = awaited.length > 0;
  const lives = item.resources.length > 0;
  const isExpected = (format: string) => !item.resources.some((own) => own.format === format);
  return {
    ...changes.result(),
    restated: undefined,
    unasked: [],
    redelivered: nothingRedelivered,
    moved: [],
    unsettled: lives && awaited.some(isExpected),
    restatedFiles: false,
    landingDue: waits ? undefined : landingDue(undefined, item, noStatements, lives, context),
    left: 0,
  };
}

const noStatements: KnownStatements = { files: [], ownList: undefined };

const nothingRedelivered: Redelivered = { urls: [], restated: [], ifChanged: [], always: [] };

/**
 * The files of a record that came once more. Where the record is another one and says of a file neither how long it
 * is nor what it adds up to, the file may be another one, too.
 */
function redeliver(
  known: KnownItem | undefined,
  item: MappedItem,
  { files, reasked, rehashed }: Statements,
  urls: readonly string[],
  hasNewBytes: boolean,
): Redelivered {
  if (!known) return { ...nothingRedelivered, urls };
  const isNews = hasNewBytes || (item.datestamp !== undefined && item.datestamp !== known.datestamp);
  const described = new Set(
    files.flatMap(({ url, length, hash }) => (length !== undefined || hash !== undefined ? url : [])),
  );
  return {
    urls,
    restated: [...reasked],
    ifChanged: urls.filter((url) => reasked.has(url) || (isNews && !described.has(url))),
    always: [...rehashed],
  };
}

/** An origin says something else than before: that is news. What it says first is what we did not know yet. */
function isOtherStatement(known: KnownStatements, restated: Restated | undefined): boolean {
  if (restated === undefined) return false;
  const { name } = restated.origin;
  return known.ownList?.name === name || known.files.some(({ origin }) => origin.name === name);
}

/** What lives of an item apart from what a delivery speaks for, as far as it is going to stay. */
function besides(
  metadata: readonly KnownResource[],
  { speaksFor }: MappedItem,
  lasting: readonly string[] | undefined,
): readonly KnownResource[] {
  return metadata.filter(
    ({ deleted_at, format }) =>
      deleted_at === null && !speaksFor.formats.includes(format) && (lasting?.includes(format) ?? true),
  );
}

type MetadataTargets = ReadonlyMap<string, MetadataTarget>;

/** The item's metadata by format: what was delivered, and what is there beside it. */
function targetsOf({ resources }: MappedItem, others: readonly KnownResource[]): MetadataTargets {
  return new Map([
    ...resources.map(({ format, path, mediaType = xmlType }) => [format, { path, mediaType }] as const),
    ...others.map(
      ({ format, path, media_type }) => [format, { path, mediaType: media_type ?? xmlType }] as const,
    ),
  ]);
}

/** What comes later in a run comes by OAI-PMH, which knows nothing but XML. */
function withAwaited(
  formats: MetadataTargets,
  source: string,
  identifier: string,
  awaited: readonly string[],
): MetadataTargets {
  const later = awaited.map((format) => {
    return [format, { path: metadataPath(source, identifier, format), mediaType: xmlType }] as const;
  });
  return new Map([...later, ...formats]);
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

/** Where the files of an item are, or were, at our own addresses. */
function knownPlaces(source: string, files: readonly KnownResource[], { mode }: FileRules): KnownPlaces {
  if (mode === 'link') return new Map();
  const ours = files.filter(({ path }) => path.startsWith(`${source}/`));
  return new Map(ours.map(({ upstream_url, path }) => [upstream_url ?? path, path]));
}

/** The former URL of a file that nobody has asked for by its new one; undefined: its own will do. */
function movedFrom(
  url: string,
  recognized: ReadonlyMap<string, string>,
  { seen }: FileContext,
): string | undefined {
  const former = recognized.get(url);
  if (former === undefined || former === url) return undefined;
  const now = seen(url);
  if (now && (now.outcome !== 'unchecked' || now.contentHash !== undefined)) return undefined;
  return seen(former)?.outcome === 'confirmed' ? former : undefined;
}

/** Looked for once an item has metadata with a landing page and no format that knows of files. */
function landingDue(
  known: KnownItem | undefined,
  item: MappedItem,
  { files, ownList }: KnownStatements,
  lives: boolean,
  { rules, now }: FileContext,
): string | null | undefined {
  const page =
    item.resources.some(({ landingPage }) => landingPage !== undefined) ||
    (known?.resources ?? []).some(
      ({ deleted_at, landing_page }) => deleted_at === null && landing_page !== null,
    );
  const isLookedFor = rules.mode !== 'none' && rules.landingPages && ownList === undefined;
  const wanted = isLookedFor && lives && page && hasNoFormatWithFiles(files, rules);
  if (wanted) return known?.landingDue === undefined ? now : undefined;
  return known?.landingDue === undefined ? undefined : null;
}
