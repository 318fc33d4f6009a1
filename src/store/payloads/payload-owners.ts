import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { sameSource } from '../rows/one-source.ts';
import { patchesIn } from '../rows/representation-columns.ts';

/** Whose payload something is, and when it was. */
export interface PayloadOwner {
  readonly hash: string;
  readonly source: string;
  /** Of the resource; of a prior version, which has none, what the upstream calls its item. */
  readonly name: string;
  /** Since when it was that: the datetime of the memento, or of the change. */
  readonly since: string;
  /**
   * `current`: what the resource is now; `earlier`: what it was; `prior`: what the upstream remembers of the time
   * before us; `patch`: the difference that a change comes with (RS-LN-12).
   */
  readonly role: 'current' | 'earlier' | 'prior' | 'patch';
  /** Where a file came from. */
  readonly upstreamUrl?: string | undefined;
}

/** The owners of payloads, by reading through the versions: nobody asks but who has found damage. */
export async function findPayloadOwners(
  db: Queryable,
  hashes: readonly string[],
): Promise<readonly PayloadOwner[]> {
  const owners = [...(await versionsOf(db, hashes)), ...(await priorVersionsOf(db, hashes))];
  const owned = new Set(owners.map(({ hash }) => hash));
  const rest = hashes.filter((hash) => !owned.has(hash));
  return rest.length === 0 ? owners : [...owners, ...(await patchesOf(db, rest))];
}

async function versionsOf(db: Queryable, hashes: readonly string[]): Promise<readonly PayloadOwner[]> {
  const rows: VersionRow[] = await selectVersions(db)
    .modify((query) => whereAnyOf(query, 'version.hash', hashes))
    .whereNull('version.dropped_at')
    .orderBy(['resource.path', 'version.seq']);
  return rows.map(toOwner);
}

function selectVersions(db: Queryable) {
  return db('version')
    .join('resource', (on) =>
      on.on('resource.source_id', 'version.source_id').andOn('resource.id', 'version.resource_id'),
    )
    .join('source', 'source.id', 'resource.source_id')
    .select(versionColumns);
}

interface VersionRow {
  readonly hash: string;
  readonly source: string;
  readonly path: string;
  readonly lastmod: string;
  readonly current_hash: string | null;
  readonly deleted_at: string | null;
  /** Null: it is where its resource is. */
  readonly upstream_url: string | null;
  readonly resource_url: string | null;
}

const versionColumns = [
  'version.hash',
  'source.name as source',
  'resource.path',
  'version.lastmod',
  'resource.hash as current_hash',
  'resource.deleted_at',
  'version.upstream_url',
  'resource.upstream_url as resource_url',
];

function toOwner(row: VersionRow): PayloadOwner {
  const { hash, source, path, lastmod, current_hash, deleted_at, upstream_url, resource_url } = row;
  const role = deleted_at === null && current_hash === hash ? 'current' : 'earlier';
  return {
    hash,
    source,
    name: path,
    since: lastmod,
    role,
    upstreamUrl: upstream_url ?? resource_url ?? undefined,
  };
}

async function priorVersionsOf(db: Queryable, hashes: readonly string[]): Promise<readonly PayloadOwner[]> {
  const rows: { hash: string; source: string; identifier: string; format: string; at: string }[] =
    await priorMetadata(db)
      .modify((query) => whereAnyOf(query, 'part.hash', hashes))
      .orderBy(['part.item_id', 'part.number', 'part.format']);
  return rows.map(toPrior);
}

function priorMetadata(db: Queryable) {
  return db('prior_representation as part')
    .join('prior_version as prior', (on) =>
      on
        .on('prior.source_id', 'part.source_id')
        .andOn('prior.item_id', 'part.item_id')
        .andOn('prior.number', 'part.number'),
    )
    .join('item', 'item.id', 'part.item_id')
    .modify(sameSource, 'item', 'part')
    .join('source', 'source.id', 'item.source_id')
    .where('part.kind', 'metadata')
    .select('part.hash', 'source.name as source', 'item.identifier', 'part.format', 'prior.at');
}

function toPrior(row: {
  readonly hash: string;
  readonly source: string;
  readonly identifier: string;
  readonly format: string;
  readonly at: string;
}): PayloadOwner {
  const { hash, source, identifier, format, at } = row;
  return { hash, source, name: `${identifier} (${format})`, since: at, role: 'prior' };
}

/** Links are kept as text; for what no version has it is read through. */
async function patchesOf(db: Queryable, hashes: readonly string[]): Promise<readonly PayloadOwner[]> {
  const wanted = new Set(hashes);
  const rows: { source: string; path: string; at: string; links: string }[] = await db('change')
    .join('resource', 'resource.id', 'change.resource_id')
    .modify(sameSource, 'resource', 'change')
    .join('source', 'source.id', 'change.source_id')
    .where((any) => {
      for (const hash of hashes) any.orWhere('change.links', 'like', `%${hash}%`);
    })
    .orderBy(['change.source_id', 'change.seq'])
    .select('source.name as source', 'resource.path', 'change.at', 'change.links');
  return rows.flatMap(({ source, path, at, links }) =>
    patchesIn(links).flatMap(({ hash }) =>
      hash !== undefined && wanted.has(hash)
        ? [{ hash, source, name: path, since: at, role: 'patch' as const }]
        : [],
    ),
  );
}

const rowsAtATime = 10_000;

/** Versions of metadata, and prior ones, that have nothing under their hash though nobody has given them up. */
export async function* listMissingPayloads(db: Queryable): AsyncGenerator<readonly PayloadOwner[]> {
  const sources: { id: number }[] = await db('source').select('id').orderBy('id');
  for (const { id } of sources) {
    for await (const ids of idRanges(db, 'resource', id)) {
      const rows: VersionRow[] = await selectVersions(db)
        .leftJoin('blob', 'blob.hash', 'version.hash')
        .where('version.source_id', id)
        .whereBetween('version.resource_id', [...ids])
        .where({ 'resource.kind': 'metadata', 'version.gone': 0 })
        .whereNull('version.dropped_at')
        .whereNotNull('version.hash')
        .whereNull('blob.hash')
        .orderBy(['version.resource_id', 'version.seq']);
      if (rows.length > 0) yield rows.map(toOwner);
    }
  }
  for (const { id } of sources) {
    for await (const ids of idRanges(db, 'item', id)) {
      const rows: Parameters<typeof toPrior>[0][] = await priorMetadata(db)
        .leftJoin('blob', 'blob.hash', 'part.hash')
        .where('part.source_id', id)
        .whereBetween('part.item_id', [...ids])
        .whereNotNull('part.hash')
        .whereNull('blob.hash')
        .orderBy(['part.item_id', 'part.number', 'part.format']);
      if (rows.length > 0) yield rows.map(toPrior);
    }
  }
}

/** The first and the last of so many ids of a source at a time. */
async function* idRanges(
  db: Queryable,
  table: 'resource' | 'item',
  sourceId: number,
): AsyncGenerator<readonly [number, number]> {
  for (let after = 0; ; ) {
    const ids: { id: number }[] = await db(table)
      .select('id')
      .where({ source_id: sourceId })
      .where('id', '>', after)
      .orderBy('id')
      .limit(rowsAtATime);
    const last = ids.at(-1)?.id;
    if (last === undefined) return;
    yield [after + 1, last];
    after = last;
  }
}
