import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../../bridge/system-clock.ts';
import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import { parseSelection, type Selection } from '../../sync/choice/selection.ts';
import type { Way } from '../../sync/choice/way.ts';
import { type PlaceRule, safeFolder } from '../../sync/places/loc-path.ts';
import type { SyncProgress, SyncReport } from '../../sync/sync-report.ts';
import { synchronise } from '../../sync/synchronisation.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, say } from '../terminal/io.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { parseAddress } from '../validate/validate-address.ts';
import { openSyncPort } from './sync-port.ts';
import { summaryOf } from './sync-summary.ts';
import { createTell } from './tell-change.ts';

export interface SyncFlags {
  readonly baseline: boolean;
  readonly incremental: boolean;
  readonly audit: boolean;
  readonly dryRun: boolean;
  readonly set?: string;
  readonly only?: readonly string[];
  readonly deleteExcluded: boolean;
  readonly map?: readonly string[];
  readonly maxDelete?: number;
  readonly backupDir?: string;
  readonly exec?: string;
  readonly ndjson: boolean;
  readonly host?: readonly string[];
  readonly transfers: number;
  readonly maxSize?: number;
  readonly allowPrivate: boolean;
  readonly contact?: string;
  readonly json: boolean;
}

/** Copies a Source into a directory, and keeps the copy up to date. */
export async function syncCommand(
  address: string,
  directory: string,
  flags: SyncFlags,
  given: CommandIo,
): Promise<number> {
  const progress = createProgress(given, { json: flags.json || flags.ndjson });
  const { io } = progress;
  const url = parseAddress(address);
  const root = resolve(io.cwd, directory);
  const { dryRun, set, deleteExcluded, maxDelete, backupDir, transfers, maxSize, host: hosts } = flags;
  const options = {
    ...{ address: url, directory: root, way: wayOf(flags), isDryRun: dryRun, set, hosts, transfers },
    ...{ selection: selectionOf(flags.only), dropsExcluded: deleteExcluded, places: flags.map?.map(placeOf) },
    ...{ maximumDeletions: maxDelete, maximumOctets: maxSize ?? Number.MAX_SAFE_INTEGER },
    backup: backupDir === undefined ? undefined : resolve(io.cwd, backupDir),
  };
  if (!dryRun) mkdirSync(root, { recursive: true });
  const port = openSyncPort(url, flags, io);
  try {
    const report = await synchronise(options, {
      port,
      now: () => toIso(systemClock.now()),
      stop: io.stop,
      tell: dryRun ? undefined : createTell(flags, root, io),
      onProgress: (state) => show(progress, state),
    });
    progress.end();
    tellReport(report, directory, flags, io);
    if (report.isStopped) return exitCodes.interrupted;
    return report.isComplete ? exitCodes.ok : exitCodes.needsAttention;
  } catch (error) {
    if (io.stop.aborted || io.abort.aborted)
      throw new BridgeError('interrupted', 'stopped before the end', { cause: error });
    throw error;
  } finally {
    progress.end();
    await port.close();
  }
}

/** The verbs of resync-sync. */
function wayOf({ baseline, incremental, audit }: SyncFlags): Way | undefined {
  if (baseline) return 'baseline';
  if (incremental) return 'incremental';
  return audit ? 'audit' : undefined;
}

/** @throws BridgeError `usage` */
function selectionOf(only: readonly string[] | undefined): Selection | undefined {
  if (only === undefined) return undefined;
  // `--only all` is how a selection is given up.
  const selection = parseSelection(only.filter((word) => word !== 'all'));
  if ('refused' in selection) throw new BridgeError('usage', `--only ${selection.refused}: ${selection.why}`);
  return selection;
}

/** `https://repo.example.org/rs=records`. @throws BridgeError `usage` */
function placeOf(text: string): PlaceRule {
  const at = text.lastIndexOf('=');
  const base = text.slice(0, Math.max(0, at));
  const folder = safeFolder(text.slice(at + 1));
  if (!/^https?:\/\//.test(base) || !URL.canParse(base) || folder === undefined)
    throw new BridgeError(
      'usage',
      `--map ${text}: give BASE=FOLDER, an address and a folder in the copy (. for itself)`,
    );
  return { base: new URL(base).href, folder };
}

function tellReport(report: SyncReport, directory: string, { json, ndjson }: SyncFlags, io: CommandIo): void {
  if (json) io.stdout.write(`${JSON.stringify({ summary: report })}\n`);
  else if (ndjson) for (const line of summaryOf(report, directory)) say(io, line);
  else for (const line of summaryOf(report, directory)) io.stdout.write(`${line}\n`);
}

const deeds = {
  entries: { noun: 'entry', deed: 'read' },
  packages: { noun: 'package', deed: 'read' },
  resources: { noun: 'resource', deed: 'fetched' },
  deletions: { noun: 'resource', deed: 'deleted' },
} as const;

function show(progress: Progress, { work, done, total }: SyncProgress): void {
  const { noun, deed } = deeds[work];
  progress.show('sync', { label: 'sync', done, total, noun, deed }, () => {
    const counted = countOf(total ?? done, noun);
    return total === undefined ? `${counted} ${deed}` : `${done} of ${counted} ${deed}`;
  });
}
