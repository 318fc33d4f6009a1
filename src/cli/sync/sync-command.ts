import { mkdirSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createLog } from '../../bridge/log.ts';
import { systemClock } from '../../bridge/system-clock.ts';
import { productName, version } from '../../bridge/version.ts';
import { toIso } from '../../core/datetime.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError, describeError } from '../../core/errors.ts';
import { createThreads } from '../../harvest/threads/threads.ts';
import { obstacleOf } from '../../sync/content/obstacle.ts';
import type { SyncDeps, SyncOptions } from '../../sync/sync-options.ts';
import type { SyncReport } from '../../sync/sync-report.ts';
import { synchronise } from '../../sync/synchronisation.ts';
import { watch } from '../../sync/watch.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, say } from '../terminal/io.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { duration } from '../terminal/progress-line.ts';
import { readArguments } from './sync-arguments.ts';
import type { SyncFlags } from './sync-flags.ts';
import { openSyncPort } from './sync-port.ts';
import { SyncProgressView } from './sync-progress.ts';
import { summaryOf } from './sync-summary.ts';
import { createTell } from './tell-change.ts';

/** In MB: a batch of small files at a time. */
const threadMemory = { oldGeneration: 64, youngGeneration: 8 };
const longestPauseMs = 3_600_000;
const projectUri = 'https://github.com/resourcesync-bridge/resourcesync-bridge';

/** Copies a Source into a directory, and keeps the copy up to date. */
export async function syncCommand(
  url: string,
  directories: readonly string[],
  flags: SyncFlags,
  given: CommandIo,
): Promise<number> {
  const progress = createProgress(given, { json: flags.json || flags.ndjson });
  const { io } = progress;
  const options = readArguments(url, directories, flags, io.cwd);
  if (flags.watch && options.isDryRun)
    throw new BridgeError('usage', '--watch cannot be used with --dry-run');
  if (!options.isDryRun) makeDirectory(options.directory);
  const port = openSyncPort(options.address, flags, io);
  const threads = createThreads(1, createLog('silent', io.stderr), threadMemory);
  const view = new SyncProgressView(progress);
  const telling = options.isDryRun ? undefined : createTell(flags, options.directory, io);
  const deps: SyncDeps = {
    port,
    now: () => toIso(systemClock.now()),
    stop: eitherOf(io.stop, port.left),
    threads,
    telling,
    onProgress: (state) => view.show(state),
    openBucket: async (address) => {
      const { openBucket } = await import('../../bridge/bucket.ts');
      return openBucket(address, io.env, systemClock);
    },
    author: { name: `${productName} ${version}`, address: projectUri },
  };
  try {
    if (flags.watch) return await follow(options, flags, deps, progress);
    const report = await synchronise(options, deps);
    progress.end();
    tellReport(report, options, flags, io);
    if (report.isStopped && !port.left.aborted) return exitCodes.interrupted;
    return report.isComplete ? exitCodes.ok : exitCodes.needsAttention;
  } catch (error) {
    if (io.stop.aborted || io.abort.aborted)
      throw new BridgeError('interrupted', 'stopped before the end', { cause: error });
    if (port.left.aborted) throw port.left.reason;
    throw error;
  } finally {
    progress.end();
    telling?.close?.();
    await threads.close();
    await port.close();
  }
}

/** @throws BridgeError `storage`, with what is in the way */
function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    const obstacle = obstacleOf(cause);
    if (obstacle === undefined) throw cause;
    throw new BridgeError('storage', obstacle);
  }
}

/** Until Ctrl-C, which is no failure. */
async function follow(
  options: SyncOptions,
  flags: SyncFlags,
  deps: SyncDeps,
  progress: Progress,
): Promise<number> {
  const { io } = progress;
  const shortestMs = flags.every * 1000;
  let isFirst = true;
  const last = await watch(options, {
    ...deps,
    pauses: { shortestMs, longestMs: Math.max(shortestMs, longestPauseMs) },
    sleep: (milliseconds) => setTimeout(milliseconds, undefined, { signal: io.stop }).catch(() => undefined),
    onReport: (report, pauseMs) => {
      progress.end();
      const { created, updated, deleted, failed } = report.copied;
      const isNews = isFirst || created + updated + deleted + failed > 0 || !report.isComplete;
      if (isNews || flags.json) tellReport(report, options, flags, io);
      isFirst = false;
      if (!report.isStopped && !flags.json)
        say(io, `${isNews ? '' : 'nothing has changed; '}next look in ${pauseText(pauseMs)}`);
    },
    onFailure: (error, pauseMs) => {
      progress.end();
      say(io, `${describeError(error)}; next look in ${pauseText(pauseMs)}`);
    },
  });
  if (last === undefined) return exitCodes.interrupted;
  return last.isComplete || last.isStopped ? exitCodes.ok : exitCodes.needsAttention;
}

function pauseText(milliseconds: number): string {
  return duration(milliseconds / 1000);
}

function tellReport(
  report: SyncReport,
  { directory }: SyncOptions,
  { json, ndjson }: SyncFlags,
  io: CommandIo,
): void {
  const inside = relative(io.cwd, directory);
  const shown = inside.startsWith('..') ? directory : inside || '.';
  if (json) io.stdout.write(`${JSON.stringify({ summary: report })}\n`);
  else
    for (const line of summaryOf(report, shown)) {
      if (ndjson) say(io, line);
      else io.stdout.write(`${line}\n`);
    }
}
