import type { ResourceKind } from '../../core/resource.ts';
import { type Timeline, toTimeline } from '../../core/time/timeline.ts';
import type { Queryable } from '../engine/database.ts';
import { question } from '../engine/question.ts';

/** When metadata was something else, without what it was. */
export interface Moments {
  readonly source: string;
  readonly kind: ResourceKind;
  readonly deletedAt: string | undefined;
  readonly withdrawnAt: string | undefined;
  readonly timeline: Timeline;
}

interface Row {
  readonly source: string;
  readonly deleted_at: string | null;
  readonly withdrawn_at: string | null;
  readonly versions: string;
}

type Version = readonly [lastmod: string, gone: number, droppedAt: string | null];

/** Files, and what its repository remembers of an item, are for `timelines.ts`. */
const momentsAtPath = question<Row, [path: string]>(1, (db, path) =>
  db.raw(
    `select source.name as source, resource.deleted_at, resource.withdrawn_at,
      (select json_group_array(json_array(version.lastmod, version.gone, version.dropped_at) order by version.seq)
        from version where version.source_id = resource.source_id and version.resource_id = resource.id) as versions
    from resource
    join source on source.id = resource.source_id
    where resource.path = ? and resource.kind = 'metadata' and not exists
      (select 1 from prior_version
        where prior_version.source_id = resource.source_id and prior_version.item_id = resource.item_id)`,
    [path],
  ),
);

/**
 * Where the database answers at once, what `listHistories` says of the moments of metadata; undefined: it does not, or there is no
 * metadata at this path, or more is known of it than the bridge has seen.
 */
export function findMomentsAtOnce(db: Queryable, path: string): Moments | undefined {
  const [row] = momentsAtPath.atOnce(db, path) ?? [];
  if (!row) return undefined;
  const steps = (JSON.parse(row.versions) as readonly Version[]).map(toStep);
  return {
    source: row.source,
    kind: 'metadata',
    deletedAt: row.deleted_at ?? row.withdrawn_at ?? undefined,
    withdrawnAt: row.withdrawn_at ?? undefined,
    timeline: toTimeline(steps),
  };
}

function toStep([datetime, gone, droppedAt]: Version) {
  return { datetime, gone: gone === 1, dropped: droppedAt !== null, lost: false };
}
