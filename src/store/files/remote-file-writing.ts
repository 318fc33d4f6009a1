import type { Knex } from 'knex';
import { hostNotPublic } from '../../core/addresses/private-address.ts';
import { earlier, later } from '../../core/datetime.ts';
import { saysNo } from '../../core/files/published-files.ts';
import { insertRows, isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';
import { ofSource } from '../rows/one-source.ts';
import { isCountedOtherwise } from '../tally/file-standing.ts';
import { nameFiles } from '../tally/file-tally.ts';
import { askAllWithheld, callForWeighing, doubtElsewhere, publishedUrls } from './refusals.ts';
import {
  findRemoteFiles,
  type RemoteFile,
  type RemoteFileRow,
  remoteFileColumns,
  toRemoteFile,
  toRow,
} from './remote-files.ts';

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
  const refused = await database.transaction((trx) => saveSeen(trx, sourceId, files));
  // By itself: two sources that are refused the same would wait for each other.
  await doubtElsewhere(database.writer, sourceId, refused.urls, refused.at);
}

/** @returns what is refused from now on, and was published */
async function saveSeen(
  trx: Knex.Transaction,
  sourceId: number,
  files: readonly RemoteFile[],
): Promise<{ readonly urls: readonly string[]; readonly at: string }> {
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
  const otherwise = rows.filter((file) => isCountedOtherwise(before.get(file.url), file));
  await nameFiles(
    trx,
    sourceId,
    otherwise.map(({ url }) => url),
  );
  const [first] = seen;
  const now = seen.reduce((latest, { checkedAt = '' }) => later(latest, checkedAt), first?.checkedAt ?? '');
  if (withheld.size > 0) await callForWeighing(trx, sourceId, now);
  const isBack = ({ url, outcome }: RemoteFile) =>
    outcome === 'confirmed' && before.get(url)?.withheldAt !== undefined;
  if (seen.some(isBack)) await askAllWithheld(trx, sourceId, now);
  const telling = rows.filter((file) => changesAnything(before.get(file.url), file)).map(({ url }) => url);
  const items = trx('item_file')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'url', telling))
    .select('item_id');
  if (telling.length > 0)
    await trx('item').whereIn('id', items).modify(ofSource, 'item', sourceId).update({ unsettled: 1 });
  const isOfNews = (file: RemoteFile) => withheld.has(file.url) && isByServer(file);
  return { urls: seen.filter(isOfNews).map(({ url }) => url), at: now };
}

/** Not by our own settings, which may be others for another source. */
function isByServer({ outcome, reason }: RemoteFile): boolean {
  return saysNo(outcome) && hostNotPublic(reason) === undefined;
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
  const written = await insertRows<{ url: string }>(trx, 'remote_file', rows, {
    conflict: { columns: ['source_id', 'url'], update: [] },
    returning: ['url'],
  });
  await nameFiles(
    trx,
    sourceId,
    written.map(({ url }) => url),
  );
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
  await nameFiles(trx, sourceId, rows.keys());
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
