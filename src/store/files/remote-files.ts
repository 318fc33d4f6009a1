import type { Knex } from 'knex';
import { earlier, later } from '../../core/datetime.ts';
import { type SeenFile, saysNo } from '../../core/files/published-files.ts';
import { batches } from '../engine/batches.ts';
import { insertRows, isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { askAllWithheld, callForWeighing, publishedUrls } from './refusals.ts';

/** What the server at a URL said, for every item that names it. */
export interface RemoteFile extends SeenFile {
  readonly url: string;
  /** One clause for people, where it is not confirmed. */
  readonly reason?: string | undefined;
  readonly checkedAt?: string | undefined;
  /** When it is to be asked for, or downloaded, again; undefined: never by itself. */
  readonly dueAt?: string | undefined;
  /** When it was due as it was read for asking: what made it due again since then is not undone. */
  readonly dueBefore?: string | undefined;
  /** When the deletion of what was withheld was decided. */
  readonly withdrawnAt?: string | undefined;
  /** What is kept of it is downloaded again, always or unless its server says that it is the same. */
  readonly download?: 'if-changed' | 'always' | undefined;
}

/** As the table `remote_file` holds it. */
export interface RemoteFileRow {
  readonly url: string;
  readonly outcome: SeenFile['outcome'];
  readonly reason: string | null;
  readonly checked_at: string | null;
  readonly due_at: string | null;
  readonly failures: number;
  readonly media_type: string | null;
  readonly length: number | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly changed_at: string | null;
  readonly content_hash: string | null;
  readonly content_length: number | null;
  readonly withheld_at: string | null;
  readonly withdrawn_at: string | null;
  readonly download: RemoteFile['download'] | null;
}

export const remoteFileColumns = [
  'url',
  'outcome',
  'reason',
  'checked_at',
  'due_at',
  'failures',
  'media_type',
  'length',
  'etag',
  'last_modified',
  'changed_at',
  'content_hash',
  'content_length',
  'withheld_at',
  'withdrawn_at',
  'download',
] as const;

/** An item may have 50,000 files: their rows never lie in memory all at once. */
const urlsAtATime = 2_000;

export async function findRemoteFiles(
  db: Queryable,
  sourceId: number,
  urls: readonly string[],
): Promise<ReadonlyMap<string, RemoteFile>> {
  const found = new Map<string, RemoteFile>();
  for (const some of batches(urls, urlsAtATime)) {
    const rows: RemoteFileRow[] = await db('remote_file')
      .select(remoteFileColumns)
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'url', some));
    for (const row of rows) found.set(row.url, toRemoteFile(row));
  }
  return found;
}

/**
 * Writes what was seen, and marks the items for which it changes what is published. Published files whose servers say
 * no are withheld from then on, and somebody is called to decide about them.
 */
export async function saveRemoteFiles(
  database: Database,
  sourceId: number,
  files: readonly RemoteFile[],
): Promise<void> {
  if (files.length === 0) return;
  await database.transaction(async (trx) => {
    const before = await lockRemoteFiles(
      trx,
      sourceId,
      files.map(({ url }) => url),
    );
    const seen = files
      .filter((file) => !isOutdated(before.get(file.url), file))
      .map((file) => noteChange(before.get(file.url), file));
    const refused = seen.filter((file) => isNewRefusal(before.get(file.url), file)).map(({ url }) => url);
    const withheld = await publishedUrls(trx, sourceId, refused);
    const rows = seen.map((file) => {
      const known = before.get(file.url);
      const kept = meanwhileDue(known, file);
      if (!saysNo(file.outcome)) return { ...kept, withheldAt: undefined, withdrawnAt: undefined };
      const withheldAt = withheld.has(file.url) ? file.checkedAt : known?.withheldAt;
      return { ...kept, withheldAt, withdrawnAt: known?.withdrawnAt };
    });
    await insertRows(
      trx,
      'remote_file',
      rows.map((file) => toRow(sourceId, file)),
      replacing,
    );
    const [first] = seen;
    const now = seen.reduce((latest, { checkedAt = '' }) => later(latest, checkedAt), first?.checkedAt ?? '');
    if (withheld.size > 0) await callForWeighing(trx, sourceId, now);
    const isBack = ({ url, outcome }: RemoteFile) =>
      outcome === 'confirmed' && before.get(url)?.withheldAt !== undefined;
    if (seen.some(isBack)) await askAllWithheld(trx, sourceId, now);
    const telling = rows.filter((file) => changesAnything(before.get(file.url), file)).map(({ url }) => url);
    if (telling.length === 0) return;
    const items = trx('item_file')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'url', telling))
      .select('item_id');
    await trx('item').whereIn('id', items).update({ unsettled: 1 });
  });
}

/** In one order: two processes may be writing the same. */
async function lockRemoteFiles(
  trx: Knex.Transaction,
  sourceId: number,
  urls: readonly string[],
): Promise<ReadonlyMap<string, RemoteFile>> {
  const rows: RemoteFileRow[] = await trx('remote_file')
    .select(remoteFileColumns)
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'url', urls))
    .orderBy('id')
    .modify((query) => {
      if (isPostgres(trx)) query.forUpdate();
    });
  return new Map(rows.map((row) => [row.url, toRemoteFile(row)]));
}

/** No answer from before a refusal makes that undone. */
function isOutdated(before: RemoteFile | undefined, after: RemoteFile): boolean {
  if (before === undefined || !saysNo(before.outcome) || saysNo(after.outcome)) return false;
  return (before.checkedAt ?? '') > (after.checkedAt ?? '');
}

function isNewRefusal(before: RemoteFile | undefined, after: RemoteFile): boolean {
  if (!saysNo(after.outcome) || before?.withheldAt !== undefined) return false;
  // Decided already, if not carried out.
  return !(before?.withdrawnAt !== undefined && saysNo(before.outcome));
}

/** Its record may have come while it was asked for. */
function meanwhileDue(before: RemoteFile | undefined, { dueBefore, ...after }: RemoteFile): RemoteFile {
  if (dueBefore === undefined || before?.dueAt === undefined || before.dueAt === dueBefore) return after;
  const dueAt = after.dueAt === undefined ? before.dueAt : earlier(before.dueAt, after.dueAt);
  return { ...after, dueAt, download: before.download };
}

const replacing = {
  conflict: { columns: ['source_id', 'url'], update: remoteFileColumns.filter((column) => column !== 'url') },
} as const;

/** A server that says something else than last time serves other bytes; where it has a time for it, that decides. */
function noteChange(before: RemoteFile | undefined, after: RemoteFile): RemoteFile {
  if (before?.outcome !== 'confirmed' || after.outcome !== 'confirmed') {
    return { ...after, changedAt: after.changedAt ?? before?.changedAt };
  }
  const differ = (fact: 'length' | 'lastModified' | 'etag') =>
    before[fact] !== undefined && after[fact] !== undefined && before[fact] !== after[fact];
  const hasTimes = before.lastModified !== undefined && after.lastModified !== undefined;
  const changed = differ('length') || (hasTimes ? differ('lastModified') : differ('etag'));
  return { ...after, changedAt: changed ? after.checkedAt : before.changedAt };
}

/** URLs that have come up: due at once. */
export async function storeUnasked(
  trx: Knex.Transaction,
  sourceId: number,
  urls: readonly string[],
  now: string,
): Promise<void> {
  const rows = [...new Set(urls)].map((url) =>
    toRow(sourceId, { url, outcome: 'unchecked', failures: 0, dueAt: now }),
  );
  await insertRows(trx, 'remote_file', rows, { conflict: { columns: ['source_id', 'url'], update: [] } });
}

/** What is known of files by their former URLs is known of them by those that they have now; due at once. */
export async function storeMoved(
  trx: Knex.Transaction,
  sourceId: number,
  moved: readonly { readonly from: string; readonly to: string }[],
  now: string,
): Promise<void> {
  if (moved.length === 0) return;
  const former = await findRemoteFiles(
    trx,
    sourceId,
    moved.map(({ from }) => from),
  );
  const rows = new Map(
    moved.flatMap(({ from, to }) => {
      const known = former.get(from);
      return known ? [[to, toRow(sourceId, { ...known, url: to, dueAt: now })] as const] : [];
    }),
  );
  await insertRows(trx, 'remote_file', [...rows.values()], replacing);
}

/** Octets of the mirrored contents that items of a source state, each content once. */
export async function countMirroredBytes(db: Queryable, sourceId: number): Promise<number> {
  const contents = db('remote_file')
    .where({ source_id: sourceId })
    .whereNotNull('content_hash')
    .whereExists(statedAtAll(db))
    .distinct('content_hash', 'content_length')
    .as('contents');
  const [row] = await db.from(contents).sum({ bytes: 'content_length' });
  return Number((row as { bytes?: unknown } | undefined)?.bytes ?? 0);
}

export type FileCounts = Readonly<Record<SeenFile['outcome'], number>> & {
  /** Contents that are kept. */
  readonly mirrored: number;
  /** Not downloaded, because the quota has no room for them. */
  readonly waitingForRoom: number;
  /** Mirrored, but not what the repository says of them. */
  readonly otherBytes: number;
};

/** The reason of files that are put off until the quota has room for them. */
export const noRoomReason = 'it does not fit into what is left of quotaBytes';

/** The reason of files whose bytes were downloaded twice, and contradict length or checksum both times. */
export const otherBytesReason = 'its bytes are not what the repository says of them';

/** For rows of `remote_file`. */
function statedAtAll(db: Queryable): Knex.QueryBuilder {
  return db('item_file')
    .whereRaw('item_file.source_id = remote_file.source_id')
    .whereRaw('item_file.url = remote_file.url')
    .select(db.raw('1'));
}

interface OutcomeCount {
  readonly source_id: number;
  readonly outcome: SeenFile['outcome'];
  readonly files: number;
  readonly kept: number;
  readonly waiting: number;
  readonly other: number;
}

/** How the files that items of a source state are doing, by URL: `unchecked` without those that wait for room. */
export async function countRemoteFiles(db: Queryable, sourceId: number): Promise<FileCounts> {
  return (await countFilesOf(db, [sourceId]))(sourceId);
}

/** The same of several sources. */
export async function countFilesOf(
  db: Queryable,
  sourceIds: readonly number[],
): Promise<(sourceId: number) => FileCounts> {
  const rows: OutcomeCount[] = await db('remote_file')
    .modify((query) => whereAnyOf(query, 'source_id', sourceIds))
    .whereExists(statedAtAll(db))
    .groupBy('source_id', 'outcome')
    .select(
      'source_id',
      'outcome',
      db.raw('count(*) as files'),
      db.raw('count(content_hash) as kept'),
      db.raw('sum(case when reason = ? then 1 else 0 end) as waiting', [noRoomReason]),
      db.raw('sum(case when reason = ? then 1 else 0 end) as other', [otherBytesReason]),
    );
  return (sourceId) => sumFiles(rows.filter((row) => row.source_id === sourceId));
}

function sumFiles(rows: readonly OutcomeCount[]): FileCounts {
  const counts = {
    unchecked: 0,
    confirmed: 0,
    refused: 0,
    gone: 0,
    unreachable: 0,
    mirrored: 0,
    waitingForRoom: 0,
    otherBytes: 0,
  };
  for (const { outcome, files, kept, waiting, other } of rows) {
    counts.otherBytes += Number(other);
    counts[outcome] = Number(files) - (outcome === 'unchecked' ? Number(waiting) : 0);
    counts.waitingForRoom += Number(waiting);
    counts.mirrored += Number(kept);
  }
  return counts;
}

const publishable = [
  'mediaType',
  'length',
  'etag',
  'lastModified',
  'changedAt',
  'contentHash',
  'contentLength',
  'withheldAt',
] as const;

function changesAnything(before: RemoteFile | undefined, after: RemoteFile): boolean {
  if (!before) return after.outcome !== 'unchecked';
  if (before.outcome !== after.outcome) return true;
  // One refusal more changes nothing; failures do, in the end.
  if (before.failures < after.failures && !saysNo(after.outcome)) return true;
  return publishable.some((fact) => before[fact] !== after[fact]);
}

export function toRemoteFile(row: RemoteFileRow): RemoteFile {
  return {
    url: row.url,
    outcome: row.outcome,
    failures: row.failures,
    reason: row.reason ?? undefined,
    checkedAt: row.checked_at ?? undefined,
    dueAt: row.due_at ?? undefined,
    mediaType: row.media_type ?? undefined,
    length: row.length ?? undefined,
    etag: row.etag ?? undefined,
    lastModified: row.last_modified ?? undefined,
    changedAt: row.changed_at ?? undefined,
    contentHash: row.content_hash ?? undefined,
    contentLength: row.content_length ?? undefined,
    withheldAt: row.withheld_at ?? undefined,
    withdrawnAt: row.withdrawn_at ?? undefined,
    download: row.download ?? undefined,
  };
}

function toRow(sourceId: number, file: RemoteFile) {
  return {
    source_id: sourceId,
    url: file.url,
    outcome: file.outcome,
    reason: file.reason ?? null,
    checked_at: file.checkedAt ?? null,
    due_at: file.dueAt ?? null,
    failures: file.failures,
    media_type: file.mediaType ?? null,
    length: file.length ?? null,
    etag: file.etag ?? null,
    last_modified: file.lastModified ?? null,
    changed_at: file.changedAt ?? null,
    content_hash: file.contentHash ?? null,
    content_length: file.contentLength ?? null,
    withheld_at: file.withheldAt ?? null,
    withdrawn_at: file.withdrawnAt ?? null,
    download: file.download ?? null,
  };
}
