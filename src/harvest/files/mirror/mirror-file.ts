import type { Clock, Log } from '../../../core/adapter.ts';
import { isBitstreamContent } from '../../../core/addresses/bitstream-address.ts';
import { addSeconds, toIso } from '../../../core/datetime.ts';
import type { Database } from '../../../store/engine/database.ts';
import type { DueFile } from '../../../store/files/due-files.ts';
import type { RemoteFile } from '../../../store/files/remote-files.ts';
import { isKeptWhole, setAside } from '../../../store/payloads/damaged-contents.ts';
import { noRoomReason, otherBytesReason } from '../../../store/tally/file-standing.ts';
import { askForFile } from '../checks/check-file.ts';
import { afterVerdict, postponed, type RecheckDays } from '../checks/check-schedule.ts';
import type { Verdict } from '../checks/file-verdict.ts';
import { type HostHealth, hostOf } from '../checks/host-health.ts';
import type { MirrorResult } from './mirror-commit.ts';
import { type DownloadDeps, downloadFile } from './mirror-download.ts';

export interface MirrorFileDeps extends DownloadDeps {
  /** Where it says what is kept. */
  readonly database: Pick<Database, 'reader'>;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  readonly health: HostHealth;
  readonly recheckDays: RecheckDays;
  /** Milliseconds that a server may take to say whether a file has changed. */
  readonly patienceMs: number;
}

const hour = 3600;
const day = 86_400;

/**
 * Brings one due file up to date: asks whether what is kept of it is still right, and downloads it when it is not,
 * or when nothing is kept, or not as it was stored. What is kept stays until its successor is complete.
 */
export async function mirrorFile(
  deps: MirrorFileDeps,
  file: DueFile,
  signal: AbortSignal,
): Promise<MirrorResult> {
  const { contentHash, contentLength = 0 } = file;
  const isDamaged =
    contentHash !== undefined &&
    !(await isKeptWhole(deps.database.reader, deps.directory, contentHash, file.contentLength));
  if (!isDamaged) return bringUpToDate(deps, file, false, signal);
  // Whatever lies there is in the way of its successor, which takes the room that was counted for it.
  await setAside(deps.directory, contentHash);
  deps.quota.giveBack(contentLength);
  const result = await bringUpToDate(deps, file, true, signal);
  if (!result.content) deps.quota.giveBack(-contentLength);
  return result;
}

async function bringUpToDate(
  deps: MirrorFileDeps,
  file: DueFile,
  isDamaged: boolean,
  signal: AbortSignal,
): Promise<MirrorResult> {
  const { clock, health, recheckDays, quota } = deps;
  const host = hostOf(file.url);
  const now = () => toIso(clock.now());
  const failed = (verdict: Verdict): MirrorResult => {
    health.note(host, verdict, clock.now().getTime());
    return { file: afterVerdict(file, verdict, now(), recheckDays) };
  };

  const nowMs = clock.now().getTime();
  if (health.isDown(host, nowMs)) return { file: postponed(file, now(), health.restSeconds(host, nowMs)) };
  let seen: RemoteFile = file;
  let length = knownLength(file, now(), recheckDays);
  if (file.contentHash !== undefined) {
    const options = { recheckDays, deadline: deps.patienceMs };
    const asked = await askForFile(deps.http, file, now(), options, signal);
    if (asked.verdict.outcome !== 'confirmed') return failed(asked.verdict);
    health.note(host, asked.verdict, clock.now().getTime());
    if (!isDamaged && isKnownToDiffer(file, now(), recheckDays)) {
      const { mediaType, length, etag, lastModified, reason } = file;
      return { file: { ...asked.file, mediaType, length, etag, lastModified, reason } };
    }
    if (!isDamaged && !isToBeDownloaded(file, asked)) {
      const reason = file.reason === otherBytesReason ? otherBytesReason : asked.file.reason;
      return { file: { ...asked.file, reason, download: undefined } };
    }
    length = asked.file.length;
    seen = { ...file, checkedAt: now() };
  }
  // What is known not to fit is not asked for; nor is anything where nothing at all fits.
  if (!quota.hasRoomFor(length ?? 1)) return noRoom(seen, now());
  const download = await downloadFile(deps, file, signal);
  if (download.kind === 'no-room') {
    // The length of what is kept stays with it.
    const announced = file.contentHash === undefined ? { length: download.length } : {};
    // What takes room before it turns out not to fit may have kept others out: next time it comes after them.
    const wait = download.length === undefined ? day + hour : day;
    return noRoom({ ...file, ...announced, checkedAt: now() }, now(), wait);
  }
  if (download.kind === 'failed') return failed(download.verdict);
  const confirmed: Verdict = { outcome: 'confirmed' };
  health.note(host, confirmed, clock.now().getTime());
  const { content, synced, facts, partial, isAsStated } = download;
  if (!isAsStated) deps.log.warn({ source: deps.source, url: file.url }, otherBytesReason);
  return {
    file: {
      ...afterVerdict(file, confirmed, now(), recheckDays),
      ...facts,
      reason: isAsStated ? undefined : otherBytesReason,
      download: undefined,
      contentHash: content.hash,
      contentLength: content.length,
    },
    content,
    synced,
    partial,
  };
}

/**
 * Its bytes were others than stated when they were downloaded, as those with a cover page are, which is made anew for
 * each request. As long as its record says the same of it they are downloaded again after `recheckDays`, not each time
 * that somebody asks whether it may still be read.
 */
function isKnownToDiffer(file: DueFile, now: string, recheckDays: RecheckDays): boolean {
  const { length, hash } = file.stated;
  // A DSpace that makes them says neither length nor checksum of them.
  const isCovered = isBitstreamContent(file.url) && length === undefined && hash === undefined;
  if ((!isCovered && file.reason !== otherBytesReason) || file.download !== undefined) return false;
  if (recheckDays === false || file.checkedAt === undefined) return recheckDays === false;
  return now < addSeconds(file.checkedAt, recheckDays * day);
}

/**
 * What its record says of it now is worth more than that its server says nothing new: another hash is one of other
 * bytes, and what may be another file is the same only where its server says so.
 */
function isToBeDownloaded(
  before: RemoteFile,
  { file: after, isUnmodified }: { readonly file: RemoteFile; readonly isUnmodified: boolean },
): boolean {
  if (before.download === 'always' || hasChanged(before, after)) return true;
  return before.download === 'if-changed' && !isUnmodified && !isProvenSame(before, after);
}

/** Of an answer that names no difference: whether it names anything that would differ. */
function isProvenSame(before: RemoteFile, after: RemoteFile): boolean {
  if (before.etag !== undefined && after.etag !== undefined) return true;
  return before.lastModified !== undefined && before.lastModified === after.lastModified;
}

/** By the best that the server says of it; where it says nothing, it has not. */
export function hasChanged(before: RemoteFile, after: RemoteFile): boolean {
  if (before.etag !== undefined && after.etag !== undefined) return before.etag !== after.etag;
  if (after.length !== undefined && after.length !== before.contentLength) return true;
  return (
    before.lastModified !== undefined &&
    after.lastModified !== undefined &&
    before.lastModified !== after.lastModified
  );
}

/** What the server has said of late: the file may have become smaller since. */
function knownLength(file: RemoteFile, now: string, recheckDays: RecheckDays): number | undefined {
  const { checkedAt, length } = file;
  if (checkedAt === undefined) return undefined;
  return recheckDays === false || now < addSeconds(checkedAt, recheckDays * day) ? length : undefined;
}

function noRoom(file: RemoteFile, now: string, seconds = day): MirrorResult {
  return { file: { ...postponed(file, now, seconds), reason: noRoomReason } };
}
