import type { Knex } from 'knex';
import { patchRelation } from '../../core/resource.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import { ofSource } from '../rows/one-source.ts';
import { patchesIn } from '../rows/representation-columns.ts';
import { uncountFiles } from '../tally/file-tally.ts';

/**
 * When bytes are due that have to go whatever else is planned: before everything that retention has given up. They go
 * through `released` as well, so that nothing is removed that something public has in common with them.
 */
export const urgentlyDue = '0001-01-01T00:00:00Z';

/** Whose bytes go. */
export interface ReleasedResource {
  readonly id: number;
  readonly item_id: number;
  readonly kind: string;
  readonly format: string;
}

/**
 * Gives up all bytes of resources: their versions, the patches that lead from one to the next, what their upstream
 * remembers of them, and what was downloaded for them. Whatever is left of them in the journal says what was, not how it
 * read.
 */
export async function releaseForGood(
  trx: Knex.Transaction,
  sourceId: number,
  resources: readonly ReleasedResource[],
  now: string,
): Promise<void> {
  const ids = resources.map(({ id }) => id);
  const versions: { resource_id: number; seq: number; hash: string }[] = await trx('version')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'resource_id', ids))
    .whereNotNull('hash')
    .select('resource_id', 'seq', 'hash');
  const others = [
    ...(await patchesOf(trx, sourceId, ids)),
    ...(await forgetPrior(trx, sourceId, resources)),
    ...(await forgetFiles(trx, sourceId, resources)),
  ];
  const due = { source_id: sourceId, end_seq: 0, due_at: urgentlyDue };
  const rows = [
    ...versions.map((version) => ({ ...version, ...due })),
    // Numbers that no version has.
    ...others.map(({ owner, hash }, index) => ({ ...due, resource_id: -owner, seq: index + 1, hash })),
  ];
  const conflict = { columns: ['source_id', 'resource_id', 'seq'], update: ['hash', 'due_at', 'end_seq'] };
  await insertRows(trx, 'released', rows, { conflict });
  await trx('version')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'resource_id', ids))
    .where({ gone: 0 })
    .whereNull('dropped_at')
    .update({ dropped_at: now });
}

interface Payload {
  /** Id of a resource, which makes the rows of one call different from those of another. */
  readonly owner: number;
  readonly hash: string;
}

async function patchesOf(
  trx: Knex.Transaction,
  sourceId: number,
  ids: readonly number[],
): Promise<readonly Payload[]> {
  const rows: { resource_id: number; links: string }[] = await trx('change')
    .modify(ofSource, 'change', sourceId)
    .modify((query) => whereAnyOf(query, 'resource_id', ids))
    .where('links', 'like', `%${patchRelation}%`)
    .select('resource_id', 'links');
  return rows.flatMap(({ resource_id, links }) =>
    patchesIn(links).flatMap(({ hash }) => (hash === undefined ? [] : [{ owner: resource_id, hash }])),
  );
}

/** What the upstream remembers of the formats in question. */
async function forgetPrior(
  trx: Knex.Transaction,
  sourceId: number,
  resources: readonly ReleasedResource[],
): Promise<readonly Payload[]> {
  const payloads: Payload[] = [];
  for (const { id, item_id, kind, format } of resources.filter((one) => one.kind === 'metadata')) {
    const own = () => trx('prior_representation').where({ source_id: sourceId, item_id, kind, format });
    const rows: { hash: string | null }[] = await own().select('hash');
    if (rows.length === 0) continue;
    payloads.push(...rows.flatMap(({ hash }) => (hash === null ? [] : [{ owner: id, hash }])));
    await own().delete();
  }
  return payloads;
}

/** Nobody downloads again what only a withdrawn file comes from. */
async function forgetFiles(
  trx: Knex.Transaction,
  sourceId: number,
  resources: readonly ReleasedResource[],
): Promise<readonly Payload[]> {
  const files = resources.filter(({ kind }) => kind === 'file');
  if (files.length === 0) return [];
  const rows: { id: number; upstream_url: string | null }[] = await trx('resource')
    .modify((query) =>
      whereAnyOf(
        query,
        'id',
        files.map(({ id }) => id),
      ),
    )
    .modify(ofSource, 'resource', sourceId)
    .select('id', 'upstream_url');
  const owners = new Map(
    rows.flatMap(({ id, upstream_url }) => (upstream_url === null ? [] : [[upstream_url, id]])),
  );
  const urls = [...owners.keys()] as string[];
  await trx('item_file')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'url', urls))
    .modify((query) =>
      whereAnyOf(
        query,
        'item_id',
        files.map(({ item_id }) => item_id),
      ),
    )
    .delete();
  const shared: { url: string }[] = await trx('item_file')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'url', urls))
    .distinct('url');
  const stays = new Set(shared.map(({ url }) => url));
  const gone = urls.filter((url) => !stays.has(url));
  const asked = () =>
    trx('remote_file')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'url', gone));
  const known: { url: string; content_hash: string | null }[] = await asked().select('url', 'content_hash');
  await uncountFiles(trx, sourceId, asked());
  await asked().delete();
  return known.flatMap(({ url, content_hash }) =>
    content_hash === null ? [] : [{ owner: Number(owners.get(url) ?? 0), hash: content_hash }],
  );
}
