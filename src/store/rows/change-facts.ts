import type { Knex } from 'knex';
import type { Queryable } from '../engine/database.ts';

/**
 * What a change says of the representation: where it made a version, that has the facts, and the change none of its own
 * (its `lastmod` is empty).
 */
const facts = ['lastmod', 'media_type', 'length', 'hash'] as const;

/** How `version` is joined, from the left. */
export function versionOfChange(on: Knex.JoinClause): void {
  on.on('version.source_id', 'change.source_id')
    .andOn('version.resource_id', 'change.resource_id')
    .andOn('version.seq', 'change.seq');
}

/** How all versions of a resource are joined. */
export function versionsOfResource(on: Knex.JoinClause): void {
  on.on('version.source_id', 'resource.source_id').andOn('version.resource_id', 'resource.id');
}

/** Of a query over `change` and that version. */
export function factOfChange(column: (typeof facts)[number], change = 'change', version = 'version'): string {
  return `case when ${change}.lastmod = '' then ${version}.${column} else ${change}.${column} end`;
}

function factsOfChange(db: Queryable): readonly Knex.Raw[] {
  return facts.map((column) => db.raw(`${factOfChange(column)} as ${column}`));
}

/** A change and what it is of, but for its place in its journal. */
export function columnsOfChange(db: Queryable): readonly (string | Knex.Raw)[] {
  return [
    'change.at',
    'change.kind',
    ...factsOfChange(db),
    'change.links',
    'change.links_before',
    'resource.path',
    'resource.kind as resource_kind',
    'resource.format',
    'resource.deleted_at',
    'resource.withdrawn_at',
  ];
}
