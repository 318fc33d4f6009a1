import type { Knex } from 'knex';
import { isAbsolute } from '../../core/uris.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { ofItemCalled, sourceIdOf } from '../rows/one-source.ts';
import { whereNotWithdrawn } from './refused.ts';
import { forgetAsVersions } from './versions-elsewhere.ts';
import type { Target, WithdrawalRow } from './withdrawal.ts';

/**
 * One item of a repository may be in a public source today and in a private set of it tomorrow, which is a source of its own
 * (`core/access/private-sets.ts`). What is withdrawn in one of them is withdrawn in all, whether they have the item or not: a
 * withdrawal for each, which stays where the set is none any more.
 */

/** Whatever its number. */
type Row = Omit<WithdrawalRow, 'id'>;

/** Which source is, or was, a private set of which other one. */
export async function listPrivateParts(db: Queryable): Promise<ReadonlyMap<string, string>> {
  const rows: { part: string; source: string }[] = await db('private_part').orderBy('part');
  return new Map(rows.map(({ part, source }) => [part, source]));
}

/**
 * Takes what a configuration says of private sets: what is withdrawn in one source of a family is withdrawn in one that comes to it,
 * and the other way round.
 * @param named by the name of each private set that is a source of its own, whose it is
 * @param others sources that are none: if one of them was, it is something else by now
 * @param now ISO
 */
export async function takePrivateParts(
  database: Database,
  named: ReadonlyMap<string, string>,
  others: ReadonlySet<string>,
  now: string,
): Promise<void> {
  const known = await listPrivateParts(database.writer);
  const added = [...named].filter(([part, source]) => known.get(part) !== source);
  const ended = [...known.keys()].filter((part) => others.has(part));
  const roots = new Set([...known, ...named].flatMap(([part, source]) => (others.has(part) ? [] : [source])));
  if (roots.size + ended.length === 0) return;
  await database.transaction(async (trx) => {
    if (ended.length > 0)
      await trx('private_part')
        .modify((query) => whereAnyOf(query, 'part', ended))
        .delete();
    const rows = added.map(([part, source]) => ({ part, source }));
    await insertRows(trx, 'private_part', rows, { conflict: { columns: ['part'], update: ['source'] } });
    // Of all of them: a process of a release that does not know this may have withdrawn something meanwhile.
    for (const root of roots) await shareWithdrawals(trx, root, undefined, now);
  });
}

/** The sources that one item of a repository may be in: a public one, and what is or was a private set of it. */
async function familyOf(db: Queryable, name: string): Promise<readonly string[]> {
  const parts = await listPrivateParts(db);
  const root = parts.get(name) ?? name;
  return [root, ...[...parts].flatMap(([part, source]) => (source === root ? [part] : []))];
}

/**
 * Makes what is withdrawn in a source, or in one that has the same items, withdrawn in all of them.
 * @param identifier of one item; undefined: of all
 * @param now ISO
 * @returns those of them in which something was published that is not any more
 */
export async function shareWithdrawals(
  trx: Knex.Transaction,
  name: string,
  identifier: string | undefined,
  now: string,
): Promise<readonly string[]> {
  const family = await familyOf(trx, name);
  if (family.length < 2) return [];
  const rows = await rowsOf(trx, family, identifier);
  const known = new Set(rows.map((row) => keyIn(row.source, row)));
  const touched = new Set<string>();
  for (const row of rows)
    for (const source of family) {
      if (known.has(keyIn(source, row))) continue;
      known.add(keyIn(source, row));
      if (await withdrawThere(trx, source, row, now)) touched.add(source);
    }
  return [...touched];
}

/** @returns whether anything of it was published there */
async function withdrawThere(trx: Knex.Transaction, source: string, row: Row, now: string): Promise<boolean> {
  const sourceId = await sourceIdOf(trx, source);
  const path = row.path && ((await pathOfFile(trx, sourceId, row)) ?? pathIn(source, row.source, row.path));
  await trx('withdrawal')
    .insert({ ...row, source, path })
    .onConflict(['source', 'identifier', 'path'])
    .ignore();
  if (sourceId === undefined) return false;
  const { kind, format, upstream_url } = row;
  if (path === '') await forgetAsVersions(trx, sourceId, [row.identifier]);
  else if (kind !== null && format !== null)
    await forgetAsVersions(trx, sourceId, [row.identifier], { kind, format, upstream_url });
  const hidden = await trx('resource')
    .modify(whereNotWithdrawn)
    .modify(ofItemCalled, sourceId, row.identifier)
    .modify((query) => {
      if (path !== '') query.where({ path });
    })
    .update({ withdrawn_at: now, refused_at: null });
  return hidden > 0;
}

/** What is, or would be, withdrawn with it in other sources that have the same item. */
export async function sameElsewhere(
  db: Queryable,
  { source, identifier, path }: Target,
): Promise<readonly Target[]> {
  const others = (await familyOf(db, source)).filter((name) => name !== source);
  if (path === undefined) return others.map((name) => ({ source: name, identifier, path }));
  if (isAbsolute(path)) return [];
  const rows = await rowsOf(db, others, identifier);
  const [own] = (await rowsOf(db, [source], identifier)).filter((row) => row.path === path);
  return others.map((name) => {
    const same = own && rows.find((row) => keyIn(name, row) === keyIn(name, own) && row.source === name);
    return { source: name, identifier, path: same?.path ?? pathIn(name, source, path) };
  });
}

/** URLs of files that are only linked to are withdrawn in all sources anyway. */
async function rowsOf(
  db: Queryable,
  family: readonly string[],
  identifier: string | undefined,
): Promise<readonly Row[]> {
  const rows: Row[] = await db('withdrawal')
    .modify((query) => whereAnyOf(query, 'source', family))
    .modify((query) => {
      if (identifier !== undefined) query.where({ identifier });
    })
    .orderBy('id')
    .select('source', 'identifier', 'path', 'kind', 'format', 'upstream_url', 'reason', 'at');
  return rows.filter(({ path }) => !isAbsolute(path));
}

/** Two sources may number the files of an item differently: what a file is, its URL says. */
function keyIn(name: string, { source, identifier, path, kind, upstream_url }: Row): string {
  const what = kind === 'file' && upstream_url !== null ? upstream_url : path.slice(source.length);
  return JSON.stringify([name, identifier, path === '' ? '' : what]);
}

function pathIn(name: string, source: string, path: string): string {
  return `${name}${path.slice(source.length)}`;
}

async function pathOfFile(
  trx: Knex.Transaction,
  sourceId: number | undefined,
  { identifier, kind, upstream_url }: Row,
): Promise<string | undefined> {
  if (sourceId === undefined || kind !== 'file' || upstream_url === null) return undefined;
  const row: { path: string } | undefined = await trx('resource')
    .modify(ofItemCalled, sourceId, identifier)
    .where({ kind, upstream_url })
    .first('path');
  return row?.path;
}
