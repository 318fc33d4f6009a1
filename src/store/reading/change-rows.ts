import type { Knex } from 'knex';
import {
  type ChangeKind,
  type Link,
  patchRelation,
  type Representation,
  type ResourceKind,
} from '../../core/resource.ts';
import { collectionMarks, covers, type ResourceSet } from '../../core/resource-set.ts';
import { isPostgres } from '../engine/bulk.ts';
import { sharedLinks } from '../rows/link-forms.ts';
import { parseLinks, type RepresentationRow, toRepresentation } from '../rows/representation-columns.ts';

/** One entry of a Resource List. */
export interface ResourceEntry extends Representation {
  /** Of the row, where it was asked for. */
  readonly id?: number;
  readonly kind: ResourceKind;
  /** Below `baseUrl`; of a file that is only linked to, its own URL. */
  readonly path: string;
  /** Of a set across sources: which it is of. */
  readonly source?: string | undefined;
  readonly lastmod: string;
  readonly links: readonly Link[];
}

/** One entry of a Change List: the facts of the representation at that time. */
export interface ChangeEntry extends ResourceEntry {
  readonly seq: number;
  readonly change: ChangeKind;
  /** When the change happened to what we serve, by the journal's clock. */
  readonly datetime: string;
  /** What has become of the resource since, where that was asked for: when it was deleted, and when the operator withdrew it. */
  readonly deletedAt?: string | undefined;
  readonly withdrawnAt?: string | undefined;
}

export interface ChangeRange {
  /** Exclusive. */
  readonly afterSeq: number;
  /** Inclusive; default: the end of the journal as it is when each page is read. */
  readonly upToSeq?: number;
  /** Only changes after which nothing has happened to the resource. */
  readonly latestOnly?: boolean;
  /** Only deletions; of a set across sources. */
  readonly deletedOnly?: boolean;
  /** Say what has become of the resources since. */
  readonly withFate?: boolean;
}

/** A change with what it made of its resource, as it is stored. */
export interface ChangeRow extends RepresentationRow {
  readonly seq: number;
  readonly at: string;
  readonly kind: ChangeKind;
  readonly lastmod: string;
  readonly links: string;
  readonly links_before: string | null;
  readonly path: string;
  readonly resource_kind: ResourceKind;
  readonly format: string;
  readonly deleted_at: string | null;
  readonly withdrawn_at: string | null;
}

const nothing: RepresentationRow = { media_type: null, length: null, hash: null };

/** What a change is to a set, as an entry; nothing where it happened outside of it. */
export function toChangeEntry(row: ChangeRow, set: ResourceSet, withFate = false): readonly ChangeEntry[] {
  const links = parseLinks(row.links);
  const change = changeWithin(set, row, links);
  if (change === undefined) return [];
  const gone = change === 'deleted';
  return [
    {
      seq: row.seq,
      change,
      datetime: row.at,
      path: row.path,
      kind: row.resource_kind,
      lastmod: row.lastmod,
      ...toRepresentation(gone ? nothing : row),
      // What was not in the set before has no version there that a patch could be applied to (RS-LN-11).
      links: gone ? [] : change === 'updated' ? links : links.filter(({ rel }) => rel !== patchRelation),
      ...(withFate && {
        deletedAt: row.deleted_at ?? undefined,
        withdrawnAt: row.withdrawn_at ?? undefined,
      }),
    },
  ];
}

/** What a change is to a set; undefined where it happened outside of it. */
function changeWithin(set: ResourceSet, row: ChangeRow, links: readonly Link[]): ChangeKind | undefined {
  if (!set.filter.collections) return row.kind;
  const has = (candidates: readonly Link[]) =>
    covers(set.filter, { kind: row.resource_kind, format: row.format, links: candidates }, set.source);
  const before = row.kind !== 'created' && has(parseLinks(row.links_before ?? row.links));
  const after = row.kind !== 'deleted' && has(links);
  if (before) return after ? 'updated' : 'deleted';
  return after ? 'created' : undefined;
}

/** Only resources of a kind and format of the set. */
export function whereOfSet(query: Knex.QueryBuilder, { filter }: Pick<ResourceSet, 'filter'>): void {
  if (filter.kind !== undefined) query.where('resource.kind', filter.kind);
  if (filter.formats) query.whereIn('resource.format', [...filter.formats]);
}

/** Only rows that have a collection of the set in one of these columns. */
export function whereMarked(
  query: Knex.QueryBuilder,
  { source, filter }: Pick<ResourceSet, 'source' | 'filter'>,
  columns: readonly string[],
): void {
  const marks = collectionMarks(source, filter.collections ?? []);
  if (marks.length === 0) return;
  const find = isPostgres(query) ? 'strpos' : 'instr';
  query.where((any) => {
    for (const column of columns)
      for (const mark of marks) any.orWhereRaw(`${find}(${sharedLinks(column)}, ?) > 0`, [mark]);
  });
}
