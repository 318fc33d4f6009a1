import type { Knex } from 'knex';
import { addSeconds } from '../core/datetime.ts';
import type { SeenFile } from '../core/published-files.ts';
import { insertRows, whereAnyOf } from './bulk.ts';
import type { Database, Queryable } from './database.ts';

/** What the server at a URL said, for every item that names it. */
export interface RemoteFile extends SeenFile {
  readonly url: string;
  /** One clause for people, where it is not confirmed. */
  readonly reason?: string | undefined;
  readonly checkedAt?: string | undefined;
  /** When it is to be asked for, or downloaded, again; undefined: never by itself. */
  readonly dueAt?: string | undefined;
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
] as const;

export async function findRemoteFiles(
  db: Queryable,
  sourceId: number,
  urls: readonly string[],
): Promise<ReadonlyMap<string, RemoteFile>> {
  if (urls.length === 0) return new Map();
  const rows: RemoteFileRow[] = await db('remote_file')
    .select(remoteFileColumns)
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'url', urls));
  return new Map(rows.map((row) => [row.url, toRemoteFile(row)]));
}

/** Writes what was seen, and marks the items for which it changes what is published. */
export async function saveRemoteFiles(
  database: Database,
  sourceId: number,
  files: readonly RemoteFile[],
): Promise<void> {
  if (files.length === 0) return;
  const before = await findRemoteFiles(
    database.writer,
    sourceId,
    files.map(({ url }) => url),
  );
  const seen = files.map((file) => noteChange(before.get(file.url), file));
  const telling = seen.filter((file) => changesAnything(before.get(file.url), file)).map(({ url }) => url);
  await database.transaction(async (trx) => {
    await insertRows(
      trx,
      'remote_file',
      seen.map((file) => toRow(sourceId, file)),
      replacing,
    );
    if (telling.length === 0) return;
    const items = trx('item_file')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'url', telling))
      .select('item_id');
    await trx('item').whereIn('id', items).update({ unsettled: 1 });
  });
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

/**
 * Records that say something else of these than before: it is worth asking again, and what was seen of the former
 * bytes is no reason to doubt what is said of these.
 */
export async function storeReasked(
  trx: Knex.Transaction,
  sourceId: number,
  urls: readonly string[],
  now: string,
): Promise<void> {
  if (urls.length === 0) return;
  const rows = () =>
    trx('remote_file')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'url', urls));
  await rows().update({ changed_at: null });
  // Those that were asked for just now, before their page was stored, need not be asked for again.
  await rows()
    .where((old) => old.whereNull('checked_at').orWhere('checked_at', '<', addSeconds(now, -justNow)))
    .update({ due_at: now });
}

const justNow = 300;

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
    .whereExists(statedAtAll(db, sourceId))
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
function statedAtAll(db: Queryable, sourceId: number): Knex.QueryBuilder {
  return db('item_file')
    .where({ source_id: sourceId })
    .whereRaw('item_file.url = remote_file.url')
    .select(db.raw('1'));
}

/** How the files that items of a source state are doing, by URL: `unchecked` without those that wait for room. */
export async function countRemoteFiles(db: Queryable, sourceId: number): Promise<FileCounts> {
  const rows: {
    outcome: SeenFile['outcome'];
    files: number;
    kept: number;
    waiting: number;
    other: number;
  }[] = await db('remote_file')
    .where({ source_id: sourceId })
    .whereExists(statedAtAll(db, sourceId))
    .groupBy('outcome')
    .select(
      'outcome',
      db.raw('count(*) as files'),
      db.raw('count(content_hash) as kept'),
      db.raw('sum(case when reason = ? then 1 else 0 end) as waiting', [noRoomReason]),
      db.raw('sum(case when reason = ? then 1 else 0 end) as other', [otherBytesReason]),
    );
  const counts = {
    unchecked: 0,
    confirmed: 0,
    refused: 0,
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
] as const;

function changesAnything(before: RemoteFile | undefined, after: RemoteFile): boolean {
  if (!before) return after.outcome !== 'unchecked';
  if (before.outcome !== after.outcome || before.failures < after.failures) return true;
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
  };
}
