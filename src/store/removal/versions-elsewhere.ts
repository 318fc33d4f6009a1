import type { Knex } from 'knex';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { urgentlyDue } from '../payloads/released-for-good.ts';
import { sourceIdOf } from '../rows/one-source.ts';
import type { Target } from './withdrawal.ts';

/** What a withdrawn resource is. */
export interface WithdrawnPart {
  readonly kind: string;
  readonly format: string;
  readonly upstream_url: string | null;
}

interface VersionKey {
  readonly item_id: number;
  readonly number: number;
}

/** Numbers that no version has, and no release of a resource's own payloads. */
const firstSeq = 1_000_000;

/**
 * Where items that are withdrawn, or not for everybody, are remembered as earlier versions of others, they are not any more, and the
 * bytes are due.
 * @param part of them; undefined: all
 */
export async function forgetAsVersions(
  trx: Knex.Transaction,
  sourceId: number,
  identifiers: readonly string[],
  part?: WithdrawnPart,
): Promise<void> {
  const keys: VersionKey[] = await trx('prior_version')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'identifier', identifiers))
    .select('item_id', 'number');
  for (const { item_id, number } of keys) {
    const own = { source_id: sourceId, item_id, number };
    const gone = () =>
      trx('prior_representation')
        .where(own)
        .modify((query) => {
          if (part?.kind === 'metadata') query.where({ kind: 'metadata', format: part.format });
          else if (part) query.where({ kind: 'file', upstream_url: part.upstream_url ?? '' });
        });
    const rows: { hash: string | null }[] = await gone().where({ kind: 'metadata' }).select('hash');
    const due = { source_id: sourceId, resource_id: -item_id, end_seq: 0, due_at: urgentlyDue };
    const released = rows.flatMap(({ hash }, index) =>
      hash === null ? [] : { ...due, seq: firstSeq + number * 1_000 + index, hash },
    );
    const conflict = { columns: ['source_id', 'resource_id', 'seq'], update: ['hash', 'due_at', 'end_seq'] };
    await insertRows(trx, 'released', released, { conflict });
    await gone().delete();
    if (!part) await trx('prior_version').where(own).delete();
  }
}

/** The same work at another address, which a withdrawal leaves alone. */
export interface OtherVersion {
  readonly identifier: string;
  readonly is: 'earlier' | 'later';
}

/** Items that show as a past of their own what the repository calls so, and what has no addresses of its own, as where a handle moves on. */
export async function findItemsWithVersion(
  db: Queryable,
  name: { readonly identifier: string } | { readonly handle: string },
): Promise<readonly Pick<Target, 'source' | 'identifier'>[]> {
  // PostgreSQL refuses NUL even in a question.
  if (Object.values(name).some((text) => text.includes('\0'))) return [];
  const rows: { source: string; identifier: string; version: string }[] = await db('prior_version')
    .join('item', 'item.id', 'prior_version.item_id')
    .join('source', 'source.id', 'prior_version.source_id')
    .whereRaw('item.source_id = prior_version.source_id')
    .modify((query) => {
      if ('identifier' in name) query.where({ 'prior_version.identifier': name.identifier });
      else query.where('prior_version.identifier', 'like', `oai:%:${name.handle}`);
    })
    .orderBy(['source.name', 'item.identifier'])
    .select('source.name as source', 'item.identifier', 'prior_version.identifier as version');
  // To the question, some characters of a handle mean others.
  return rows.filter(({ version }) => !('handle' in name) || version.endsWith(`:${name.handle}`));
}

/** What the repository calls versions that are shown as the past of an item, and have no addresses of their own: they go with it. */
export async function findOwnVersions(
  db: Queryable,
  { source, identifier }: Pick<Target, 'source' | 'identifier'>,
): Promise<readonly string[]> {
  const sourceId = (await sourceIdOf(db, source)) ?? 0;
  const items = db('item')
    .join('resource', 'resource.item_id', 'item.id')
    .where({ 'item.source_id': sourceId, 'resource.source_id': sourceId })
    .whereRaw('item.identifier = prior_version.identifier')
    .select(db.raw('1'));
  const rows: { identifier: string }[] = await db('prior_version')
    .join('item as own', 'own.id', 'prior_version.item_id')
    .where({ 'own.source_id': sourceId, 'own.identifier': identifier, 'prior_version.source_id': sourceId })
    .whereNotNull('prior_version.identifier')
    .whereNot('prior_version.identifier', identifier)
    .whereNotExists(items)
    .orderBy('prior_version.number')
    .select('prior_version.identifier');
  return rows.map((row) => row.identifier);
}

/** By what their repository says of versions: items of the same source that are not withdrawn themselves. */
export async function findOtherVersions(
  db: Queryable,
  { source, identifier }: Pick<Target, 'source' | 'identifier'>,
): Promise<readonly OtherVersion[]> {
  const sourceId = (await sourceIdOf(db, source)) ?? 0;
  const items = () =>
    db('item')
      .where({ 'item.source_id': sourceId })
      .whereNot('item.identifier', identifier)
      .whereNotIn('item.identifier', db('withdrawal').where({ source, path: '' }).select('identifier'))
      .whereIn(
        'item.id',
        db('resource')
          .where({ source_id: sourceId })
          .whereRaw('resource.item_id = item.id')
          .select('item_id'),
      )
      .orderBy('item.identifier')
      .distinct('item.identifier');
  const earlier: { identifier: string }[] = await items().whereIn(
    'item.identifier',
    db('prior_version')
      .join('item as own', 'own.id', 'prior_version.item_id')
      .where({ 'own.source_id': sourceId, 'own.identifier': identifier, 'prior_version.source_id': sourceId })
      .select('prior_version.identifier'),
  );
  const later: { identifier: string }[] = await items().whereIn(
    'item.id',
    db('prior_version').where({ source_id: sourceId, identifier }).select('item_id'),
  );
  return [
    ...earlier.map((one) => ({ ...one, is: 'earlier' as const })),
    ...later.map((one) => ({ ...one, is: 'later' as const })),
  ];
}
