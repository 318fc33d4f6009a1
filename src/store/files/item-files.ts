import type { Knex } from 'knex';
import type { FileOrigin, SourceFile } from '../../core/adapter.ts';
import { landingPageOrigin, type StatedFile } from '../../core/files/published-files.ts';
import { insertRows, type Row, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import type { Restatement } from '../plans/page-changes.ts';
import { type KnownStatements, restate } from '../plans/statements.ts';
import { ofSource } from '../rows/one-source.ts';
import { nameFiles } from '../tally/file-tally.ts';
import { storeUnasked } from './remote-file-writing.ts';

/** What items state of their files, by origin: the tables `item_file` and, for landing pages, `item`. */
interface ItemFileRow {
  readonly item_id: number;
  readonly origin: string;
  readonly rank: number;
  readonly sequence: number;
  readonly url: string;
  readonly name: string;
  readonly media_type: string | null;
  readonly length: number | null;
  readonly hash: string | null;
  readonly access: string | null;
  readonly available_at: string | null;
  readonly version: string | null;
  readonly via: string | null;
  readonly last_modified: string | null;
}

/** The row of a repository's own list that is empty: it has no other. */
const nothing = { sequence: 0, url: '', name: '' } as const;

const columns = [
  'item_id',
  'origin',
  'rank',
  'sequence',
  'url',
  'name',
  'media_type',
  'length',
  'hash',
  'access',
  'available_at',
  'version',
  'via',
  'last_modified',
] as const;

/** By item, in the order of their origins. */
export async function readItemFiles(
  db: Queryable,
  sourceId: number,
  itemIds: readonly number[],
): Promise<Map<number, KnownStatements>> {
  const statements = new Map<number, { files: StatedFile[]; ownList: FileOrigin | undefined }>();
  let origin: FileOrigin | undefined;
  for await (const rows of rowsInSlices(db, sourceId, itemIds)) {
    for (const row of rows) {
      if (origin?.name !== row.origin || origin.rank !== row.rank)
        origin = { name: row.origin, rank: row.rank };
      const known = statements.get(row.item_id) ?? { files: [], ownList: undefined };
      statements.set(row.item_id, known);
      if (origin.rank === 0) known.ownList ??= origin;
      if (row.sequence !== nothing.sequence) known.files.push(toFile(row, origin));
    }
  }
  return statements;
}

/** One item may have 50,000 files: their rows never lie in memory all at once. */
const rowsAtATime = 5_000;

async function* rowsInSlices(
  db: Queryable,
  sourceId: number,
  itemIds: readonly number[],
): AsyncGenerator<readonly ItemFileRow[]> {
  const ordered = () =>
    db('item_file')
      .select(columns)
      .modify(ofSource, 'item_file', sourceId)
      .orderBy(['item_id', 'origin', 'sequence'])
      .limit(rowsAtATime);
  let ids = itemIds;
  while (ids.length > 0) {
    let rows: ItemFileRow[] = await ordered().modify((query) => whereAnyOf(query, 'item_id', ids));
    yield rows;
    let last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtATime) return;
    const { item_id } = last;
    // What is left of this item; the index has it in this order.
    while (last !== undefined && rows.length === rowsAtATime) {
      rows = await ordered()
        .where({ item_id })
        .whereRaw('(origin, sequence) > (?, ?)', [last.origin, last.sequence]);
      yield rows;
      last = rows.at(-1);
    }
    ids = ids.filter((id) => id > item_id);
  }
}

function toFile(row: ItemFileRow, origin: FileOrigin = { name: row.origin, rank: row.rank }): StatedFile {
  return {
    origin,
    url: row.url,
    name: row.name,
    sequence: row.sequence,
    mediaType: row.media_type ?? undefined,
    length: row.length ?? undefined,
    hash: row.hash ?? undefined,
    access: (row.access ?? undefined) as StatedFile['access'],
    availableAt: row.available_at ?? undefined,
    version: row.version ?? undefined,
    ...(row.via !== null && { via: row.via }),
    ...(row.last_modified !== null && { lastModified: row.last_modified }),
  };
}

/** What is stated of URLs so far, by any item and origin. */
export async function findStatements(
  db: Queryable,
  sourceId: number,
  urls: readonly string[],
): Promise<ReadonlyMap<string, readonly StatedFile[]>> {
  if (urls.length === 0) return new Map();
  const rows: ItemFileRow[] = await db('item_file')
    .select('*')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'url', urls));
  const found = new Map<string, StatedFile[]>();
  for (const row of rows) found.set(row.url, [...(found.get(row.url) ?? []), toFile(row)]);
  return found;
}

/** Replaces what one origin states of each item, and what counts no more because of that. */
export async function storeStatements(
  trx: Knex.Transaction,
  sourceId: number,
  restated: readonly Restatement[],
  itemIds: ReadonlyMap<string, number>,
  known: { has(identifier: string): boolean },
): Promise<void> {
  const byOrigin = new Map<string, number[]>();
  for (const { identifier, replaces } of restated) {
    const id = itemIds.get(identifier);
    if (id === undefined || !known.has(identifier)) continue;
    for (const name of replaces) {
      const ids = byOrigin.get(name);
      if (ids) ids.push(id);
      else byOrigin.set(name, [id]);
    }
  }
  const former = new Set<string>();
  for (const [origin, ids] of byOrigin) {
    const rows = () =>
      trx('item_file')
        .where({ origin })
        .modify(ofSource, 'item_file', sourceId)
        .modify((query) => whereAnyOf(query, 'item_id', ids));
    const deleted: { url: string }[] = await rows().distinct('url');
    for (const { url } of deleted) former.add(url);
    await rows().delete();
  }
  await insertRows(trx, 'item_file', toRows(sourceId, restated, itemIds));
  const stated = new Set(
    restated.flatMap(({ identifier, files }) => (itemIds.has(identifier) ? files.map(({ url }) => url) : [])),
  );
  // Those that are stated as before are counted as before.
  const named = [...former, ...stated].filter((url) => former.has(url) !== stated.has(url));
  await nameFiles(trx, sourceId, named);
}

function* toRows(
  sourceId: number,
  restated: readonly Restatement[],
  itemIds: ReadonlyMap<string, number>,
): Generator<Row> {
  for (const { identifier, origin, files } of restated) {
    const id = itemIds.get(identifier);
    if (id === undefined) continue;
    const stated: readonly SourceFile[] =
      origin.rank === 0 && files.length === 0 ? [nothing] : inOrder(files);
    for (const file of stated)
      yield {
        item_id: id,
        origin: origin.name,
        rank: origin.rank,
        sequence: file.sequence,
        source_id: sourceId,
        url: file.url,
        name: file.name,
        media_type: file.mediaType ?? null,
        length: file.length ?? null,
        hash: file.hash ?? null,
        access: file.access ?? null,
        available_at: file.availableAt ?? null,
        version: file.version ?? null,
        via: file.via ?? null,
        last_modified: file.lastModified ?? null,
      };
  }
}

/** Each sequence once, whatever was stated: it is a key. */
function inOrder(files: readonly SourceFile[]): readonly SourceFile[] {
  const taken = new Set<number>();
  let highest = files.reduce((found, { sequence }) => Math.max(found, sequence), 0);
  return files.map((file) => {
    if (!taken.has(file.sequence)) {
      taken.add(file.sequence);
      return file;
    }
    highest += 1;
    return { ...file, sequence: highest };
  });
}

/**
 * Embargoes that are over by now: the files are asked for, and their items looked at again.
 * @param now ISO UTC
 */
export async function endEmbargoes(database: Database, sourceId: number, now: string): Promise<void> {
  const { writer } = database;
  const asked = writer('remote_file')
    .where('remote_file.source_id', sourceId)
    .whereRaw('remote_file.url = item_file.url')
    .select(writer.raw('1'));
  const over: { item_id: number; url: string }[] = await writer('item_file')
    .where({ source_id: sourceId, access: 'embargoed' })
    .where('available_at', '<=', now)
    .whereNotExists(asked)
    .select('item_id', 'url')
    .limit(atATime);
  if (over.length === 0) return;
  await database.transaction(async (trx) => {
    await markUnsettled(
      trx,
      sourceId,
      over.map(({ item_id }) => item_id),
    );
    await storeUnasked(
      trx,
      sourceId,
      over.map(({ url }) => url),
      now,
    );
  });
}

const atATime = 10_000;

export async function markUnsettled(
  trx: Knex.Transaction,
  sourceId: number,
  itemIds: readonly number[],
): Promise<void> {
  if (itemIds.length === 0) return;
  await trx('item')
    .modify((query) => whereAnyOf(query, 'id', itemIds))
    .modify(ofSource, 'item', sourceId)
    .update({ unsettled: 1 });
}

/** A landing page that is to be looked at. */
export interface DueLandingPage {
  readonly itemId: number;
  readonly url: string;
}

/** Longest overdue first. */
export async function listDueLandingPages(
  db: Queryable,
  sourceId: number,
  now: string,
  limit: number,
): Promise<readonly DueLandingPage[]> {
  const pages = () =>
    db('resource')
      .modify(ofSource, 'resource', sourceId)
      .whereRaw('?? = ??', ['resource.item_id', 'item.id'])
      .whereNull('deleted_at')
      .whereNotNull('landing_page');
  // In the order of an index, with nothing to sort: after a first harvest all items of a source are due.
  const rows: { item_id: number; url: string }[] = await db('item')
    .where({ source_id: sourceId })
    .where('landing_due', '<=', now)
    .whereExists(pages().select(db.raw('1')))
    .orderBy('landing_due')
    .limit(limit)
    .select('id as item_id', pages().min('landing_page').as('url'));
  return rows.map(({ item_id, url }) => ({ itemId: item_id, url }));
}

export async function countDueLandingPages(db: Queryable, sourceId: number, now: string): Promise<number> {
  const [row] = await db('item')
    .join('resource', 'resource.item_id', 'item.id')
    .where('item.source_id', sourceId)
    .modify(ofSource, 'resource', sourceId)
    .where('item.landing_due', '<=', now)
    .whereNull('resource.deleted_at')
    .whereNotNull('resource.landing_page')
    .countDistinct({ count: 'item.id' });
  return Number(row?.count ?? 0);
}

/** What a landing page was found to link to. */
export interface FoundFiles {
  readonly itemId: number;
  /** Undefined: it could not be read, and what is known stays. */
  readonly files: readonly SourceFile[] | undefined;
  /** When to look again, ISO UTC. */
  readonly nextDue: string;
}

export async function storeFoundFiles(
  database: Database,
  sourceId: number,
  found: readonly FoundFiles[],
  now: string,
): Promise<void> {
  const before = await readItemFiles(
    database.writer,
    sourceId,
    found.map(({ itemId }) => itemId),
  );
  await database.transaction(async (trx) => {
    for (const { itemId, files: linked, nextDue } of found) {
      await trx('item')
        .where({ id: itemId })
        .modify(ofSource, 'item', sourceId)
        .update({ landing_due: nextDue });
      if (!linked) continue;
      const withdrawn = await withdrawnUrls(trx, sourceId, itemId);
      const files = linked.filter(({ url }) => !withdrawn.has(url));
      const speaksFor = { formats: [], files: landingPageOrigin };
      // Nobody looks at the page of an item of which a list of its files counts.
      const known = { files: before.get(itemId)?.files ?? [], ownList: undefined };
      const { restated: found } = restate(known, { speaksFor, files }, {});
      if (!found) continue;
      const key = String(itemId);
      const restated = [{ identifier: key, ...found }];
      await storeStatements(trx, sourceId, restated, new Map([[key, itemId]]), { has: () => true });
      await storeUnasked(
        trx,
        sourceId,
        files.map(({ url }) => url),
        now,
      );
      await markUnsettled(trx, sourceId, [itemId]);
    }
  });
}

/** Where files of an item come from that the operator has withdrawn. */
async function withdrawnUrls(
  trx: Knex.Transaction,
  sourceId: number,
  itemId: number,
): Promise<ReadonlySet<string>> {
  const rows: { upstream_url: string | null }[] = await trx('resource')
    .where({ item_id: itemId, kind: 'file' })
    .modify(ofSource, 'resource', sourceId)
    .whereNotNull('withdrawn_at')
    .select('upstream_url');
  return new Set(rows.flatMap(({ upstream_url }) => upstream_url ?? []));
}
