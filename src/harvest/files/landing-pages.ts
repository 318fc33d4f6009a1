import type { Clock, Http, Log } from '../../core/adapter.ts';
import { addSeconds, toIso } from '../../core/datetime.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { Database } from '../../store/engine/database.ts';
import { type DueLandingPage, listDueLandingPages, storeFoundFiles } from '../../store/files/item-files.ts';
import { saveRemoteFiles } from '../../store/files/remote-file-writing.ts';
import { findRemoteFiles, type RemoteFile } from '../../store/files/remote-files.ts';
import { hostOf } from './checks/host-health.ts';
import { type PageReading, readPage } from './signposting-page.ts';

export interface LandingPagesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** For URLs found in records. */
  readonly http: Http;
}

export interface LandingPagesReport {
  readonly pages: number;
  /** Links to files on them. */
  readonly files: number;
  /** Pages that could not be read. */
  readonly failed: number;
  /** Put off without asking: their host does not answer. */
  readonly skipped: number;
}

export interface LandingPagesOptions {
  /** So many pages are asked for. */
  readonly budget: number;
  readonly signal: AbortSignal;
  /** @param done pages that were read, could not be read, or were put off */
  readonly onProgress?: ((done: number) => void) | undefined;
}

const day = 86_400;
const retryDays = [1, 7, 30];
const againDays = 30;
const failuresOfHost = 3;
const atOnce = 20;

/**
 * Reads the landing pages that are due for links to files (FAIR Signposting), one after the other, and stores what
 * each leads to: a stop loses nothing.
 * @throws only what the signal was aborted with, and what the database throws
 */
export async function readLandingPages(
  deps: LandingPagesDeps,
  source: { readonly id: number; readonly name: string },
  { budget, signal, onProgress }: LandingPagesOptions,
): Promise<LandingPagesReport> {
  const { database, clock, log } = deps;
  const failures = new Map<string, number>();
  const report = { pages: 0, files: 0, failed: 0, skipped: 0 };
  // A host that is down may have any number of pages.
  while (report.pages < budget && report.skipped <= 4 * budget) {
    const now = toIso(clock.now());
    const limit = Math.min(atOnce, budget - report.pages);
    const due = await listDueLandingPages(database.reader, source.id, now, limit);
    if (due.length === 0) break;
    for (const page of due) {
      signal.throwIfAborted();
      onProgress?.(report.pages + report.skipped);
      const host = hostOf(page.url);
      if ((failures.get(host) ?? 0) >= failuresOfHost) {
        report.skipped += 1;
        await putOff(deps, source.id, page);
        continue;
      }
      const reading = await readPage(deps.http, page.url, signal);
      report.pages += 1;
      if (reading.files === undefined) {
        report.failed += 1;
        const failed = reading.isBusy ? failuresOfHost : (failures.get(host) ?? 0) + 1;
        failures.set(host, failed);
        log.debug({ source: source.name, url: page.url, reason: reading.reason }, 'landing page not read');
        if (failed === failuresOfHost) {
          const code: ErrorCode = 'upstream-pages-left';
          log.warn(
            { source: source.name, host, code, reason: reading.reason },
            'landing pages of a host are left',
          );
        }
      } else {
        report.files += reading.files.length;
        failures.delete(host);
      }
      await store(deps, source.id, page, reading);
    }
  }
  return report;
}

async function putOff(
  { database, clock }: LandingPagesDeps,
  sourceId: number,
  { itemId }: DueLandingPage,
): Promise<void> {
  const now = toIso(clock.now());
  const nextDue = addSeconds(now, day);
  await storeFoundFiles(database, sourceId, [{ itemId, files: undefined, nextDue }], now);
}

/** What was found before stays while the page cannot be read. */
async function store(
  { database, clock }: LandingPagesDeps,
  sourceId: number,
  { itemId, url }: DueLandingPage,
  reading: PageReading,
): Promise<void> {
  const now = toIso(clock.now());
  const known = (await findRemoteFiles(database.reader, sourceId, [url])).get(url);
  const failures = reading.files === undefined ? (known?.failures ?? 0) + 1 : 0;
  const days =
    failures === 0 ? againDays : (retryDays[Math.min(failures, retryDays.length) - 1] ?? againDays);
  const nextDue = addSeconds(now, days * day);
  // Another item may state the same address as that of a file: what is known of that is not ours to say.
  const isOurs =
    known === undefined ? failures > 0 : known.outcome !== 'confirmed' && known.failures !== failures;
  if (isOurs) await saveRemoteFiles(database, sourceId, [toRemote(url, reading, failures, now, nextDue)]);
  await storeFoundFiles(database, sourceId, [{ itemId, files: reading.files, nextDue }], now);
}

/** Pages that fail are remembered among what servers said, so that they are asked for less and less often. */
function toRemote(
  url: string,
  reading: PageReading,
  failures: number,
  checkedAt: string,
  dueAt: string,
): RemoteFile {
  return reading.files === undefined
    ? { url, outcome: 'unreachable', reason: reading.reason, failures, checkedAt, dueAt }
    : { url, outcome: 'refused', reason: 'it is an HTML page', failures, checkedAt, dueAt };
}
