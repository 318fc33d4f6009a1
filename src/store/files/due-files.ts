import type { Knex } from 'knex';
import { longAgo } from '../../core/datetime.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { ofSource } from '../rows/one-source.ts';
import { callForWeighing } from './refusals.ts';
import { type RemoteFile, type RemoteFileRow, remoteFileColumns, toRemoteFile } from './remote-files.ts';
import { resourcesWithdrawnAt } from './withdrawn-links.ts';

/** A file that is due, with what its origins state of it. */
export interface DueFile extends RemoteFile {
  readonly stated: {
    readonly mediaType?: string | undefined;
    readonly length?: number | undefined;
    readonly hash?: string | undefined;
  };
}

/** Which of the files that everybody may read: all, or only those of which the repository does not say it (`unknown`). */
export type FileTrust = 'all' | 'unknown';

/**
 * Files that items state and everybody may read, whose time has come, longest overdue first.
 * @param now ISO UTC
 */
export async function listDueFiles(
  db: Queryable,
  sourceId: number,
  now: string,
  limit: number,
  trust: FileTrust = 'all',
): Promise<readonly DueFile[]> {
  const stated = statementsOf(db, sourceId, now, trust).whereRaw('stated.url = remote.url');
  const rows: RemoteFileRow[] = await db('remote_file as remote')
    .select(remoteFileColumns.map((column) => `remote.${column}`))
    .where('remote.source_id', sourceId)
    .where('remote.due_at', '<=', now)
    .whereExists(stated.select(db.raw('1')))
    // Of many that are due at once PostgreSQL would sort all, were it asked for more than its index has.
    .orderBy('remote.due_at')
    .limit(limit);
  return withStatements(db, sourceId, now, rows);
}

/**
 * When the first of these files is due that are due in a time, both ends included.
 * @param from ISO UTC, as `until`
 */
export async function nextDueFile(
  db: Queryable,
  sourceId: number,
  from: string,
  until: string,
): Promise<string | undefined> {
  const stated = statementsOf(db, sourceId, until, 'all').whereRaw('stated.url = remote.url');
  const row: { due_at: string } | undefined = await db('remote_file as remote')
    .where('remote.source_id', sourceId)
    .whereBetween('remote.due_at', [from, until])
    .whereExists(stated.select(db.raw('1')))
    .orderBy('remote.due_at')
    .first('remote.due_at');
  return row?.due_at;
}

/** Those that are to be asked for before all others: what their servers say decides about others. */
export async function listProbes(db: Queryable, sourceId: number, now: string): Promise<readonly DueFile[]> {
  const rows: RemoteFileRow[] = await db('remote_file')
    .select(remoteFileColumns)
    .where({ source_id: sourceId })
    .where('due_at', '<=', longAgo)
    .limit(probesAtMost);
  return withStatements(db, sourceId, now, rows);
}

const probesAtMost = 100;

/**
 * Files of which only their server knows whether everybody may read them, and that nobody has asked for since a
 * moment, in the order of their ids.
 * @param options.keptOnly only those whose content is kept
 */
export async function listUnconfirmedFiles(
  db: Queryable,
  sourceId: number,
  since: string,
  options: {
    readonly after: number;
    readonly limit: number;
    readonly keptOnly: boolean;
    readonly now: string;
  },
): Promise<{ readonly files: readonly DueFile[]; readonly last: number | undefined }> {
  const { after, limit, keptOnly, now } = options;
  const stated = statementsOf(db, sourceId, now, 'unknown').whereRaw('stated.url = remote.url');
  const rows: (RemoteFileRow & { id: number })[] = await db('remote_file as remote')
    .select('remote.id', ...remoteFileColumns.map((column) => `remote.${column}`))
    .where('remote.source_id', sourceId)
    .where('remote.id', '>', after)
    .where((asked) => asked.whereNull('remote.checked_at').orWhere('remote.checked_at', '<', since))
    .modify((query) => {
      if (keptOnly) query.whereNotNull('remote.content_hash');
    })
    .whereExists(stated.select(db.raw('1')))
    .orderBy('remote.id')
    .limit(limit);
  return { files: await withStatements(db, sourceId, now, rows), last: rows.at(-1)?.id };
}

/** Whether a source has any file of which only its server knows who may read it. */
export async function hasUnknownFiles(db: Queryable, sourceId: number): Promise<boolean> {
  const row: unknown = await db('item_file')
    .where({ source_id: sourceId, access: 'unknown' })
    .first(db.raw('1 as one'));
  return row !== undefined;
}

async function withStatements(
  db: Queryable,
  sourceId: number,
  now: string,
  rows: readonly RemoteFileRow[],
): Promise<readonly DueFile[]> {
  const urls = rows.map(({ url }) => url);
  const statements: { url: string; media_type: string | null; length: number | null; hash: string | null }[] =
    urls.length === 0
      ? []
      : await statementsOf(db, sourceId, now, 'all')
          .modify((query) => whereAnyOf(query, 'stated.url', urls))
          .orderBy(['stated.rank', 'stated.item_id'])
          .select('stated.url', 'stated.media_type', 'stated.length', 'stated.hash');
  const stated = new Map<string, (typeof statements)[number]>();
  for (const row of statements) if (!stated.has(row.url)) stated.set(row.url, row);
  return rows.map((row) => {
    const { media_type, length, hash } = stated.get(row.url) ?? {};
    return {
      ...toRemoteFile(row),
      stated: {
        mediaType: media_type ?? undefined,
        length: length ?? undefined,
        hash: hash ?? undefined,
      },
    };
  });
}

/** What items say of files that everybody may read by now. */
export function statementsOf(
  db: Queryable,
  sourceId: number,
  now: string,
  trust: FileTrust,
): Knex.QueryBuilder {
  const statements = db('item_file as stated')
    .where('stated.source_id', sourceId)
    .whereNotExists(resourcesWithdrawnAt(db, db.raw('stated.url'), sourceId));
  if (trust === 'unknown') return statements.where('stated.access', 'unknown');
  return statements.where((open) =>
    open
      .whereNull('stated.access')
      .orWhere('stated.access', 'unknown')
      .orWhere('stated.access', 'open')
      .orWhere((embargo) =>
        embargo.where('stated.access', 'embargoed').where('stated.available_at', '<=', now),
      ),
  );
}

/** Files of an item that nobody has asked for so far are asked for at once: it is to be published again. */
export async function askForFilesOf(
  trx: Knex.Transaction,
  sourceId: number,
  identifier: string,
  now: string,
): Promise<void> {
  const own = trx('item').where({ source_id: sourceId, identifier }).select('id');
  const called = await trx('remote_file')
    .where({ source_id: sourceId, outcome: 'unchecked' })
    .whereIn(
      'url',
      trx('item_file').whereIn('item_id', own).modify(ofSource, 'item_file', sourceId).select('url'),
    )
    .update({ due_at: now });
  if (Number(called) > 0) await callForWeighing(trx, sourceId, now);
}

/** Whether a file waits that nobody has asked for so far. */
export async function hasUnasked(db: Queryable, sourceId: number, now: string): Promise<boolean> {
  const unasked = db('remote_file')
    .where({ source_id: sourceId, outcome: 'unchecked' })
    .where('due_at', '<=', now)
    .first(db.raw('1 as one'));
  return (await unasked) !== undefined;
}
