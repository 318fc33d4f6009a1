import type { Knex } from 'knex';
import type { ResourceKind } from '../../core/resource.ts';
import { type Memento, type Timeline, type TimelineStep, toTimeline } from '../../core/time/timeline.ts';
import { filePath } from '../../core/uris.ts';
import { hashAsText } from '../drivers/sqlite-hashes.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { hashAsTextOnPostgres } from '../engine/postgres-dialect.ts';
import { question, questionByKey } from '../engine/question.ts';
import { findKept } from '../payloads/blobs.ts';
import { sourceIdOf } from '../rows/one-source.ts';
import { toRepresentation } from '../rows/representation-columns.ts';
import { askAt } from '../sources/sources-at.ts';
import { listPriorVersionsOf, type PriorVersion } from './prior-versions.ts';

/** A resource, deleted or not, and everything that it was. */
export interface ResourceHistory {
  readonly source: string;
  readonly identifier: string;
  readonly path: string;
  readonly kind: ResourceKind;
  readonly format: string;
  readonly deletedAt: string | undefined;
  /** Of a file: where it is, or was last, at its repository. */
  readonly upstreamUrl: string | undefined;
  readonly withdrawnAt: string | undefined;
  /** When the bridge met it: mementos before are from its upstream's own history. Undefined: it has no versions. */
  readonly metAt: string | undefined;
  /** No later change of its source is dated before this, whatever the machine's clock does. */
  readonly journalAt: string;
  readonly timeline: Timeline;
}

interface HistoryRow {
  readonly source: string;
  readonly source_id: number;
  readonly journal_at: string;
  readonly item_id: number;
  readonly identifier: string;
  readonly path: string;
  readonly kind: ResourceKind;
  readonly format: string;
  readonly deleted_at: string | null;
  readonly withdrawn_at: string | null;
  readonly current_url: string | null;
  readonly has_prior: number | boolean;
  /** Of the database's own JSON: thousands of rows would each be an object with all its columns. Null: none. */
  readonly versions: string | readonly VersionRow[] | null;
}

type VersionRow = readonly [
  lastmod: string,
  gone: number,
  droppedAt: string | null,
  mediaType: string | null,
  length: number | null,
  hash: string | null,
];

/** One statement: this is what every TimeGate asks. */
const histories = (versions: string, source: string) => `
  select source.name as source, source.journal_at, resource.source_id, resource.item_id, item.identifier, resource.path, resource.kind, resource.format,
    resource.deleted_at, resource.withdrawn_at, resource.upstream_url as current_url,
    exists (select 1 from prior_version where prior_version.source_id = ${source} and prior_version.item_id = resource.item_id) as has_prior,
    (select ${versions} from version where version.source_id = ${source} and version.resource_id = resource.id) as versions
  from resource
  join source on source.id = resource.source_id
  join item on item.id = resource.item_id and item.source_id = ${source}
  where resource.path`;

const columns = (hash: string) =>
  `version.lastmod, version.gone, version.dropped_at, version.media_type, version.length, ${hash}`;
const statements = {
  // The source each time: then the partitions of all others are not looked at, not even by the planner.
  pg: histories(
    `json_agg(json_build_array(${columns(hashAsTextOnPostgres('version.hash'))}) order by version.seq)`,
    '?',
  ),
  sqlite: histories(
    `json_group_array(json_array(${columns(hashAsText('version.hash'))}) order by version.seq)`,
    'resource.source_id',
  ),
};

/**
 * Of the resources at a path: those that live first, then in the order in which their sources came. Only the URL of a
 * file that is linked to can have several, one in each source that names it.
 * @param path below `baseUrl`, or of a file that is only linked to its own URL
 */
export async function listHistories(db: Queryable, path: string): Promise<readonly ResourceHistory[]> {
  const rows = await askAt(db, path, (source) =>
    source === undefined ? rowsAt(db, path) : rowsAmong(db, source, [path]),
  );
  const goneLast = (row: HistoryRow) => Number(row.deleted_at !== null || row.withdrawn_at !== null);
  return toHistories(
    db,
    [...rows].sort((a, b) => goneLast(a) - goneLast(b) || a.source_id - b.source_id),
  );
}

/**
 * Of several resources of a source, by their paths, with no more statements than for one.
 * @param paths those that are no resource's are left out
 */
export async function findHistories(
  db: Queryable,
  source: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, ResourceHistory>> {
  if (paths.length === 0) return new Map();
  const rows = await (isPostgres(db) ? rowsOfOne(db, source, paths) : rowsOfNamed(db, source, paths));
  return new Map((await toHistories(db, rows)).map((history) => [history.path, history]));
}

const rowsAt = question<HistoryRow, [path: string]>(1, (db, path) =>
  db.raw(`${statements.sqlite} = ?`, [path]),
);

function rowsOfNamed(
  db: Queryable,
  source: string,
  paths: readonly string[],
): Promise<readonly HistoryRow[]> {
  // With the name first, SQLite would look at each item of the source: it does not know how few the paths are.
  const condition = 'in (select value from json_each(?)) and +source.name = ?';
  return db.raw(`${statements.sqlite} ${condition}`, [JSON.stringify(paths), source]);
}

async function rowsOfOne(
  db: Queryable,
  source: string,
  paths: readonly string[],
): Promise<readonly HistoryRow[]> {
  const id = await sourceIdOf(db, source);
  return id === undefined ? [] : rowsAmong(db, id, paths);
}

const rowsAmong = questionByKey<HistoryRow, [sourceId: number, paths: readonly string[]]>(
  2,
  (db, id, paths) =>
    db.raw(`${statements.pg} = any(?) and resource.source_id = ?`, [
      ...[id, id, id, paths as unknown as Knex.Value, id],
    ]),
);

async function toHistories(db: Queryable, rows: readonly HistoryRow[]): Promise<readonly ResourceHistory[]> {
  const known = rows.map((row) => ({ row, steps: parseVersions(row.versions).map(toStep) }));
  const files = known.flatMap(({ row, steps }) =>
    row.kind === 'file' ? steps.flatMap(({ hash }) => hash ?? []) : [],
  );
  const kept = files.length > 0 ? await findKept(db, files) : new Set<string>();
  const withPrior = rows.filter(hasPrior);
  const prior = new Map<number, readonly PriorVersion[]>();
  for (const sourceId of new Set(withPrior.map(({ source_id }) => source_id))) {
    const items = withPrior.flatMap(({ source_id, item_id }) => (source_id === sourceId ? item_id : []));
    for (const [id, own] of await listPriorVersionsOf(db, sourceId, [...new Set(items)])) prior.set(id, own);
  }
  return known.map(({ row, steps }) => {
    const versions = hasPrior(row) ? prior.get(row.item_id) : [];
    return toHistory(row, steps, kept, versions);
  });
}

function parseVersions(versions: HistoryRow['versions']): readonly VersionRow[] {
  return typeof versions === 'string' ? (JSON.parse(versions) as VersionRow[]) : (versions ?? []);
}

/** What its upstream remembers of an item is shown as long as the item is. */
function hasPrior({ has_prior, deleted_at, withdrawn_at }: HistoryRow): boolean {
  return Boolean(has_prior) && deleted_at === null && withdrawn_at === null;
}

function toHistory(
  row: HistoryRow,
  known: readonly TimelineStep[],
  kept: ReadonlySet<string>,
  versions: readonly PriorVersion[] = [],
): ResourceHistory {
  const { source, journal_at, identifier, path, kind, format, deleted_at, withdrawn_at, current_url } = row;
  const resource = { source, identifier, path, kind, format };
  const steps = kind === 'file' ? fileSteps(known, kept, current_url ?? undefined) : known;
  return {
    ...resource,
    deletedAt: deleted_at ?? withdrawn_at ?? undefined,
    withdrawnAt: withdrawn_at ?? undefined,
    upstreamUrl: current_url ?? undefined,
    metAt: steps[0]?.datetime,
    journalAt: journal_at,
    timeline: toTimeline(steps, priorMementos(versions, resource)),
  };
}

function toStep([datetime, gone, droppedAt, media_type, length, hash]: VersionRow): TimelineStep {
  return {
    datetime,
    ...toRepresentation({ media_type, length, hash }),
    gone: gone === 1,
    dropped: droppedAt !== null,
    lost: false,
  };
}

/** Of a file there is what was mirrored, and, where its server has it, what it is now. */
function fileSteps(
  steps: readonly TimelineStep[],
  kept: ReadonlySet<string>,
  elsewhere: string | undefined,
): readonly TimelineStep[] {
  return steps.map((step, index) => {
    if (step.gone || kept.has(step.hash ?? '')) return step;
    return index === steps.length - 1 && elsewhere !== undefined
      ? { ...step, elsewhere }
      : { ...step, lost: true };
  });
}

function priorMementos(
  versions: readonly PriorVersion[],
  resource: Pick<ResourceHistory, 'source' | 'identifier' | 'path' | 'kind' | 'format'>,
): readonly Memento[] {
  return versions.flatMap((version) => {
    const found = resource.kind === 'file' ? priorFile(version, resource) : priorMetadata(version, resource);
    return found ? [{ ...found, datetime: version.createdAt }] : [];
  });
}

function priorMetadata(
  { metadata }: PriorVersion,
  { format }: Pick<ResourceHistory, 'format'>,
): Omit<Memento, 'datetime'> | undefined {
  const found = metadata.find((one) => one.format === format);
  return found && { mediaType: found.mediaType, length: found.length, hash: found.hash };
}

/** The file that had its number and name in that version; else the only one that had its name. */
function priorFile(
  { files }: PriorVersion,
  { source, identifier, path }: Pick<ResourceHistory, 'source' | 'identifier' | 'path'>,
): Omit<Memento, 'datetime'> | undefined {
  const placeOf = (sequence: number, name: string) => filePath(source, identifier, sequence, name);
  const namesakes = files.filter(({ name }) => nameIn(placeOf(1, name)) === nameIn(path));
  const found =
    files.find(({ sequence, name }) => placeOf(sequence, name) === path) ??
    (namesakes.length === 1 ? namesakes[0] : undefined);
  return (
    found && { mediaType: found.mediaType, length: found.length, hash: found.hash, elsewhere: found.url }
  );
}

function nameIn(path: string): string | undefined {
  return /\/files\/\d+-([^/]*)$/.exec(path)?.[1];
}
