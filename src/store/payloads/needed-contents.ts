import type { Knex } from 'knex';
import { hashFromText } from '../drivers/sqlite-hashes.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { isFilledIn } from '../schema/backfill.ts';

/**
 * What still refers to contents: versions, what resources are now, what the upstream remembers, what was downloaded,
 * payloads that are told as differences from others, and the patches of changes. Each is found by an index (migration
 * 0060), so that it costs as much as there is to ask about. As long as PostgreSQL is building them, one statement for all
 * reads each table once.
 */

/** Hashes that are asked about. */
export interface Wanted {
  /** A table of one column. */
  readonly table: (db: Queryable) => Knex.Raw;
  /** Each is looked up by itself: of some hundred PostgreSQL would rather read all that there is. */
  readonly alone: boolean;
}

export function listed(hashes: readonly string[]): Wanted {
  const table = (db: Queryable) =>
    isPostgres(db)
      ? db.raw('(select unnest(?::bytea[]) as hash) as wanted', [hashes as unknown as Knex.Value])
      : db.raw(`(select ${hashFromText('value')} as hash from json_each(?)) as wanted`, [
          JSON.stringify(hashes),
        ]);
  return { table, alone: true };
}

/** What was given up and is due. */
export function dueUntil(due: string): Wanted {
  const sql = '(select distinct hash from released where due_at <= ?) as wanted';
  return { table: (db) => db.raw(sql, [due]), alone: false };
}

/** Whether the indexes are there. */
export function isQuick(db: Queryable): Promise<boolean> {
  return isPostgres(db) ? isFilledIn(db, '0060-content-indexes') : Promise.resolve(true);
}

/** Those that something refers to. */
export async function findNeeded(db: Queryable, { table, alone }: Wanted): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  // What has an offset does not become a join.
  const offset = alone && isPostgres(db) ? 'offset 0' : '';
  for (const reference of references(db)) {
    const rows: { hash: string }[] = await db
      .from(table(db))
      .select('wanted.hash')
      .whereRaw(`exists (select 1 from ${reference} ${offset})`);
    for (const { hash } of rows) needed.add(hash);
  }
  return needed;
}

/** A payload that is told as a difference from another. */
export interface Difference {
  readonly hash: string;
  readonly base: string;
}

/** Those that are told as differences from these. */
export function findDifferences(db: Queryable, wanted: Wanted): Promise<readonly Difference[]> {
  return db
    .from(wanted.table(db))
    .joinRaw(`join blob on ${same('blob.base')}`)
    .select('blob.hash', 'blob.base')
    .then((rows) => rows as readonly Difference[]);
}

function references(db: Queryable): readonly string[] {
  const isOne = isPostgres(db);
  const inSource = (one: string, other: string) => (isOne ? `and ${one}.source_id = ${other}.source_id` : '');
  return [
    `version where ${same('version.hash')} and version.dropped_at is null`,
    `resource where ${same('resource.hash')} and resource.kind = 'file'`,
    // Also where that version was given up.
    `version join resource on resource.id = version.resource_id ${inSource('resource', 'version')}
      where ${same('version.hash')} and resource.hash = version.hash`,
    `prior_representation as prior where ${same('prior.hash')}`,
    `remote_file where ${same('remote_file.content_hash')}`,
    `blob where ${same('blob.base')}`,
    // What was withdrawn needs its patches no more.
    `change join resource on resource.id = change.resource_id ${inSource('resource', 'change')}
      where ${isOne ? samePatchOnPostgres : samePatchOnSqlite}
      and (resource.withdrawn_at is null or resource.refused_at is not null)`,
  ];
}

/** As the index has it, and in full. */
function same(column: string): string {
  return `substr(${column}, 1, 4) = substr(wanted.hash, 1, 4) and ${column} = wanted.hash`;
}

const patch = '/rs/terms/patch"';
const begin = '"hash":"sha-256:';

const samePatchOnSqlite = `instr(change.links, '${patch}') > 0
  and substr(change.links, instr(change.links, '${patch}') + instr(substr(change.links, instr(change.links, '${patch}')), '${begin}') + ${begin.length - 1}, 16) = lower(hex(substr(wanted.hash, 1, 8)))
  and instr(change.links, lower(hex(wanted.hash))) > 0`;

const samePatchOnPostgres = `strpos(change.links, '${patch}') > 0
  and substring(change.links from '${patch}.*${begin}([0-9a-f]{16})') = encode(substr(wanted.hash, 1, 8), 'hex')
  and strpos(change.links, encode(wanted.hash, 'hex')) > 0`;
