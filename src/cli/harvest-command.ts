import { BridgeError, describeError, isBridgeError } from '../core/errors.ts';
import { dryRun } from '../harvest/dry-run.ts';
import { type HarvestOptions, type HarvestSource, harvest } from '../harvest/harvest.ts';
import type { HarvestReport } from '../harvest/report.ts';
import { type Bridge, openBridge } from './bridge.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { type CommandIo, printResult, say } from './io.ts';
import { loadConfig } from './load-config.ts';
import { createLog } from './log.ts';
import { createProgress, type Progress } from './progress.ts';

export interface HarvestFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly full: boolean;
  readonly since?: string;
  readonly limit?: number;
  readonly dryRun: boolean;
  readonly acceptDeletions: boolean;
}

/** Harvests the named sources one after the other; one that fails does not keep the others from theirs. */
export async function harvestCommand(
  names: readonly string[],
  flags: HarvestFlags,
  io: CommandIo,
): Promise<number> {
  const config = loadConfig(flags, io.env, io.cwd);
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, io.stderr);
  const bridge = await openBridge(config, log, 'migrate', io.stop);
  const progress = createProgress(io);
  let exitCode: number = exitCodes.ok;
  try {
    const sources = bridge.sources(names);
    if (sources.length === 0) throw new BridgeError('config-invalid', 'no source is configured');
    for (const source of sources) {
      if (io.stop.aborted) break;
      exitCode = (await harvestOne(bridge, source, flags, io, progress)) || exitCode;
    }
    return io.stop.aborted ? exitCodes.interrupted : exitCode;
  } finally {
    progress.end();
    await bridge.close();
  }
}

async function harvestOne(
  bridge: Bridge,
  source: HarvestSource,
  flags: HarvestFlags,
  io: CommandIo,
  progress: Progress,
): Promise<number> {
  const options: HarvestOptions = {
    mode: flags.full || flags.acceptDeletions ? 'full' : 'incremental',
    since: flags.since,
    limit: flags.limit,
    acceptDeletions: flags.acceptDeletions,
    stop: io.stop,
    signal: io.abort,
    onProgress: (state) => progress.update(state),
  };
  try {
    if (flags.dryRun) {
      const report = await dryRun(bridge, source, options);
      printResult(
        io,
        flags.json,
        { dryRun: true, ...report },
        `${describeCounts(report)} (dry run, nothing stored)`,
      );
      return exitCodes.ok;
    }
    const report = await harvest(bridge, source, options);
    progress.end();
    printResult(io, flags.json, report, describeReport(report));
    return report.state === 'needs-attention' ? exitCodes.needsAttention : exitCodes.ok;
  } catch (error) {
    progress.end();
    if (!isBridgeError(error)) throw error;
    const { code, advice } = error;
    if (flags.json)
      printResult(io, true, { source: source.name, error: { code, message: error.message, advice } }, '');
    say(io, `${source.name}: ${describeError(error)}\n${advice} [${code}]`);
    return exitCodeOf(code);
  }
}

export function describeReport(report: HarvestReport): string {
  const counts = describeCounts(report);
  switch (report.state) {
    case 'needs-attention':
      return `${counts}; ${report.unseen} resources vanished from the list and were NOT deleted: look at what happened there, then rsbridge harvest ${report.source} --accept-deletions`;
    case 'interrupted':
      return `${counts}; stopped before the end, the next harvest continues here`;
    default:
      return counts;
  }
}

function describeCounts(report: {
  source: string;
  mode: string;
  items: number;
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
  problems: number;
}): string {
  const { source, mode, items, created, updated, deleted, unchanged, problems } = report;
  const trouble = problems === 0 ? '' : `, ${problems} problems (rsbridge status)`;
  return `${source}: ${mode} harvest of ${items} records: ${created} created, ${updated} updated, ${deleted} deleted, ${unchanged} unchanged${trouble}`;
}
