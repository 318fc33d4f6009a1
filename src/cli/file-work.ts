import { isBridgeError } from '../core/errors.ts';
import { type FileJobOptions, type FileJobReport, runFileJob } from '../harvest/files/file-job.ts';
import type { Bridge } from './bridge.ts';

/**
 * What is due of a source's files: they are asked for, looked for on landing pages, or downloaded.
 * @returns undefined where another process is at it
 */
export async function workOnFiles(
  bridge: Bridge,
  source: string,
  options: FileJobOptions,
): Promise<FileJobReport | undefined> {
  try {
    return await runFileJob(bridge.fileWork(source), bridge.source(source), options);
  } catch (error) {
    if (isBridgeError(error, 'lease-held')) return undefined;
    throw error;
  }
}

/** Undefined where nothing was due. */
export function describeFileWork(source: string, report: FileJobReport): string | undefined {
  const { asked, downloaded, bytes, landingPages, created, updated, deleted, quotaReached } = report;
  const parts = [
    asked > 0 && `${asked} files asked for`,
    downloaded > 0 && `${downloaded} downloaded (${Math.round(bytes / 1_000_000)} MB)`,
    landingPages > 0 && `${landingPages} landing pages read`,
    quotaReached && 'what does not fit has to wait: quotaBytes is used up',
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  return `${source}: ${parts.join(', ')}: ${created} created, ${updated} updated, ${deleted} deleted`;
}
