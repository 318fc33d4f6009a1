import type { ResourceKind } from '../core/resource.ts';
import { type Memento, type Timeline, type TimelineStep, toTimeline } from '../core/timeline.ts';
import { filePath } from '../core/uris.ts';
import { findKept } from './contents.ts';
import type { Queryable } from './database.ts';
import { listPriorVersions, type PriorVersion } from './prior-versions.ts';
import { type RepresentationRow, toRepresentation } from './rows.ts';

/** A resource, deleted or not, and everything that it was. */
export interface ResourceHistory {
  readonly source: string;
  readonly identifier: string;
  readonly path: string;
  readonly kind: ResourceKind;
  readonly format: string;
  readonly deletedAt: string | undefined;
  readonly timeline: Timeline;
}

interface HistoryRow extends RepresentationRow {
  readonly source: string;
  readonly identifier: string;
  readonly path: string;
  readonly kind: ResourceKind;
  readonly format: string;
  readonly deleted_at: string | null;
  readonly current_url: string | null;
  readonly has_prior: number | boolean;
  /** Null in the one row of a resource without versions. */
  readonly seq: number | null;
  readonly lastmod: string | null;
  readonly gone: number | null;
  readonly dropped_at: string | null;
}

/** One statement: this is what every TimeGate asks. */
const historyOf = `
  select source.name as source, item.identifier, resource.path, resource.kind, resource.format,
    resource.deleted_at, resource.upstream_url as current_url,
    exists (select 1 from prior_version where prior_version.item_id = resource.item_id) as has_prior,
    version.seq, version.lastmod, version.gone, version.dropped_at,
    version.media_type, version.length, version.hash
  from resource
  join source on source.id = resource.source_id
  join item on item.id = resource.item_id
  left join version on version.resource_id = resource.id
  where resource.path = ?
  order by version.seq`;

/** @param path of the resource: below `baseUrl`, or of a file that is only linked to its own URL */
export async function findHistory(db: Queryable, path: string): Promise<ResourceHistory | undefined> {
  const result: HistoryRow[] | { rows: HistoryRow[] } = await db.raw(historyOf, [path]);
  const rows = 'rows' in result ? result.rows : result;
  const [first] = rows;
  if (!first) return undefined;
  const { source, identifier, kind, format } = first;
  const resource = { source, identifier, path: first.path, kind, format };
  const steps = kind === 'file' ? await fileSteps(db, rows) : rows.flatMap((row) => toStep(row) ?? []);
  // What its upstream remembers of an item is shown as long as the item is.
  const prior =
    first.has_prior && first.deleted_at === null
      ? await priorMementos(db, { ...resource, kind, format })
      : [];
  return { ...resource, deletedAt: first.deleted_at ?? undefined, timeline: toTimeline(steps, prior) };
}

function toStep(row: HistoryRow): TimelineStep | undefined {
  if (row.lastmod === null) return undefined;
  return {
    datetime: row.lastmod,
    ...toRepresentation(row),
    gone: Number(row.gone) === 1,
    dropped: row.dropped_at !== null,
    lost: false,
  };
}

/** Of a file there is what was mirrored, and, where its server has it, what it is now. */
async function fileSteps(db: Queryable, rows: readonly HistoryRow[]): Promise<readonly TimelineStep[]> {
  const steps = rows.flatMap((row) => toStep(row) ?? []);
  const kept = await findKept(
    db,
    steps.flatMap(({ hash }) => hash ?? []),
  );
  const elsewhere = rows[0]?.current_url ?? undefined;
  return steps.map((step, index) => {
    if (step.gone || kept.has(step.hash ?? '')) return step;
    return index === steps.length - 1 && elsewhere !== undefined
      ? { ...step, elsewhere }
      : { ...step, lost: true };
  });
}

async function priorMementos(
  db: Queryable,
  resource: Pick<ResourceHistory, 'source' | 'identifier' | 'path' | 'kind' | 'format'>,
): Promise<readonly Memento[]> {
  const versions = await listPriorVersions(db, resource.source, resource.identifier);
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
