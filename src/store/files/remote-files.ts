import type { SeenFile } from '../../core/files/published-files.ts';
import { batches } from '../engine/batches.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';

/** When a file is due that was refused to another source: before what others depend on, and it is not handed out until then. */
export const doubtedAt = '1969-12-31T23:59:59Z';

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

export function toRow(sourceId: number, file: RemoteFile) {
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
