import type { ResourceKind } from '../../core/resource.ts';
import { type Timeline, toTimeline } from '../../core/time/timeline.ts';
import type { Queryable } from '../engine/database.ts';
import { question, questionByKey } from '../engine/question.ts';
import { askInSources } from '../sources/sources-at.ts';

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
  /** Of each its time and two digits: whether it is gone, and whether it was dropped; null: there are none. */
  readonly versions: string | null;
}

/** @param source what says which source it is of: where that is a value, PostgreSQL looks into no partition but its own */
const momentsOf = (list: string, source: string) => `
  select source.name as source, resource.deleted_at, resource.withdrawn_at,
    (select ${list} from
      (select lastmod, gone, dropped_at from version
        where version.source_id = ${source} and version.resource_id = resource.id order by version.seq) as told) as versions
  from resource
  join source on source.id = resource.source_id
  where resource.path = ? and resource.kind = 'metadata' and not exists
    (select 1 from prior_version
      where prior_version.source_id = ${source} and prior_version.item_id = resource.item_id)`;

const statements = {
  sqlite: momentsOf("group_concat(lastmod || gone || (dropped_at is not null), ',')", 'resource.source_id'),
  pg: momentsOf("string_agg(lastmod || gone || (dropped_at is not null)::int, ',')", '?'),
};

/** Files, and what its repository remembers of an item, are for `timelines.ts`. */
const momentsAtPath = question<Row, [path: string]>(1, (db, path) => db.raw(statements.sqlite, [path]));

const momentsInSource = questionByKey<Row, [sourceId: number, path: string]>(2, (db, id, path) =>
  db.raw(`${statements.pg} and resource.source_id = ?`, [id, path, id, id]),
);

/**
 * Where the database answers at once, what `listHistories` says of the moments of metadata; undefined: it does not, or there is no
 * metadata at this path, or more is known of it than the bridge has seen.
 */
export function findMomentsAtOnce(db: Queryable, path: string): Moments | undefined {
  return toMoments(momentsAtPath.atOnce(db, path)?.[0]);
}

/** The same of PostgreSQL. */
export async function findMoments(db: Queryable, path: string): Promise<Moments | undefined> {
  const [row] = await askInSources(db, path, (id) => momentsInSource(db, id, path));
  return toMoments(row);
}

function toMoments(row: Row | undefined): Moments | undefined {
  if (!row) return undefined;
  const steps = row.versions === null ? [] : row.versions.split(',').map(toStep);
  return {
    source: row.source,
    kind: 'metadata',
    deletedAt: row.deleted_at ?? row.withdrawn_at ?? undefined,
    withdrawnAt: row.withdrawn_at ?? undefined,
    timeline: toTimeline(steps),
  };
}

function toStep(version: string) {
  return {
    datetime: version.slice(0, -2),
    gone: version.at(-2) === '1',
    dropped: version.at(-1) === '1',
    lost: false,
  };
}
