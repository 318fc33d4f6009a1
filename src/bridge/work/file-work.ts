import { areCountOf, countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import {
  type FileJobOptions,
  type FileJobProgress,
  type FileJobReport,
  runFileJob,
} from '../../harvest/files/file-job.ts';
import { type KeptFilesLook, lookAtKeptFiles } from '../../store/payloads/kept-files.ts';
import { sourceIdOf } from '../../store/rows/one-source.ts';
import type { Bridge } from '../bridge.ts';

/**
 * What is due of a source's files: they are asked for, looked for on landing pages, or downloaded.
 * @returns undefined where another process works on it
 */
export async function workOnFiles(
  bridge: Bridge,
  source: string,
  options: FileJobOptions,
): Promise<FileJobReport | undefined> {
  const work = bridge.presence.begin({ kind: 'files', source });
  const onProgress = (progress: FileJobProgress) => {
    const { done, total: expected } = progress;
    work.tell({ phase: progress.work === 'files' ? 'files' : 'pages', done, expected });
    options.onProgress?.(progress);
  };
  try {
    return await runFileJob(bridge.fileWork(source), bridge.source(source), {
      ...options,
      onProgress,
      uncounted: options.onProgress === undefined,
    });
  } catch (error) {
    if (isBridgeError(error, 'lease-held')) return undefined;
    throw error;
  } finally {
    work.end();
  }
}

/**
 * Looks at what a mirror keeps of a source's files after a full pass: what is missing or damaged is due at once, also
 * for another process that works on it. Reading all contents may take hours: only a person asks for that.
 * @returns how many files that are
 */
export async function lookAtMirror(
  { database, config, clock }: Bridge,
  source: string,
  depth: KeptFilesLook['depth'],
  signal: AbortSignal,
  onProgress?: KeptFilesLook['onProgress'],
): Promise<number> {
  const id = await sourceIdOf(database.reader, source);
  if (id === undefined || config.sources[source]?.files.mode !== 'mirror') return 0;
  const look = { directory: config.directory, depth, now: toIso(clock.now()), signal, onProgress };
  try {
    return await lookAtKeptFiles(database, id, look);
  } catch (error) {
    if (signal.aborted) return 0;
    throw error;
  }
}

export function describeDamagedFiles(source: string, damaged: number): string {
  const are = areCountOf(damaged, 'mirrored file');
  return `${source}: ${are} missing or damaged and will be downloaded again`;
}

/** Undefined where nothing was due. */
export function describeFileWork(source: string, report: FileJobReport): string | undefined {
  const { asked, downloaded, bytes, landingPages, created, updated, deleted, quotaReached } = report;
  const parts = [
    asked > 0 && `${countOf(asked, 'file')} asked for`,
    downloaded > 0 && `${downloaded} downloaded (${Math.round(bytes / 1_000_000)} MB)`,
    landingPages > 0 && `${countOf(landingPages, 'landing page')} read`,
    quotaReached && 'other files wait: quotaBytes is used up',
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  return `${source}: ${parts.join(', ')}: ${created} created, ${updated} updated, ${deleted} deleted`;
}
