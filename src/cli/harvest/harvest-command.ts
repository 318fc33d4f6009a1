import { type Bridge, harvestsAtOnce, openBridge } from '../../bridge/bridge.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { noSourceError } from '../../bridge/config/no-source.ts';
import { createLog } from '../../bridge/log.ts';
import { renameOlderJournals } from '../../bridge/older-database.ts';
import { askAgain, mendSchedule } from '../../bridge/sources/ask-again.ts';
import {
  describeDamagedFiles,
  describeFileWork,
  lookAtMirror,
  workOnFiles,
} from '../../bridge/work/file-work.ts';
import { removeBytes } from '../../bridge/work/retention.ts';
import { areCountOf, countOf } from '../../core/count-of.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError, describeError, isBridgeError } from '../../core/errors.ts';
import { dryRun } from '../../harvest/dry-run.ts';
import type { FileJobOptions } from '../../harvest/files/file-job.ts';
import type { HarvestOptions, HarvestSource } from '../../harvest/harvest-source.ts';
import { identifierPass, type Skipped } from '../../harvest/identifiers/identifier-pass.ts';
import type { HarvestReport } from '../../harvest/report.ts';
import { thoroughHarvest } from '../../harvest/thorough-harvest.ts';
import { acceptOne } from '../commands/accept-command.ts';
import type { AcceptFlag } from '../commands/accept-option.ts';
import { noteCommand } from '../terminal/actor.ts';
import { exitCodeOf, exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { createProgress } from '../terminal/progress.ts';
import { harvestItems } from './harvest-item.ts';
import { createHarvestProgress, type HarvestProgress } from './progress.ts';

export interface HarvestFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly full: boolean;
  readonly identifiers: boolean;
  readonly since?: string;
  readonly limit?: number;
  readonly dryRun: boolean;
  /** What a run showed as vanished may go; a name: of that source, what the latest one showed. */
  readonly acceptDeletions?: AcceptFlag | string;
  /** Only these, by their identifiers. */
  readonly item?: readonly string[];
}

/** Harvests the named sources side by side; one that fails does not keep the others from theirs. */
export async function harvestCommand(
  names: readonly string[],
  flags: HarvestFlags,
  given: CommandIo,
): Promise<number> {
  const progress = createProgress(given, flags);
  const { io } = progress;
  const config = loadConfig(flags, io.env, io.cwd);
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, io.stderr);
  const bridge = await openBridge(config, log, 'migrate', io.stop);
  try {
    // A name that was given twice is one source.
    const { named, accept } = withSwallowedName(names, flags.acceptDeletions);
    const chosen = [...new Set(bridge.sources(named))];
    if (chosen.length === 0) throw noSourceError();
    const sources = chosen.filter(({ name }) => named.length > 0 || !isPaused(bridge, name, io));
    if (typeof accept === 'number' && sources.length > 1)
      throw new BridgeError(
        'usage',
        `a run is of one source: rsbridge harvest SOURCE --accept-deletions ${accept}`,
      );
    if (flags.item && (names.length === 0 || sources.length > 1))
      throw new BridgeError('usage', 'an item is of one source: rsbridge harvest SOURCE --item ID');
    if (!flags.dryRun)
      await renameOlderJournals(
        bridge,
        sources.flatMap(({ name }) => bridge.setsOf(name)),
      );
    if (!flags.dryRun) await mendSchedule(bridge);
    if (!flags.dryRun) await noteHarvest(bridge, sources, flags, accept);
    const harvests = createHarvestProgress(progress, sources.length);
    const exitCode = await sideBySide(sources, io.stop, (source) =>
      harvestOne(bridge, source, flags, accept, io, harvests),
    );
    if (!flags.dryRun && !io.stop.aborted) await removeBytes(bridge, eitherOf(io.stop, io.abort));
    return io.stop.aborted ? exitCodes.interrupted : exitCode;
  } finally {
    progress.end();
    await bridge.close();
  }
}

/** What was asked for: of how it ends, the runs tell. */
async function noteHarvest(
  bridge: Bridge,
  sources: readonly HarvestSource[],
  { full, identifiers, item, since }: HarvestFlags,
  accept: AcceptFlag | undefined,
): Promise<void> {
  const names = sources.map(({ name }) => name).join(' ');
  if (accept !== undefined)
    await noteCommand(bridge, 'approved deletions', accept === true ? names : `${names}, run ${accept}`);
  if (item) return noteCommand(bridge, 'tried again', `${names}: ${item.join(' ')}`);
  if (accept !== undefined && !full && !identifiers) return;
  const action = full ? 'full' : identifiers ? 'identifiers' : 'harvest';
  await noteCommand(bridge, action, since === undefined ? names : `${names}, since ${since}`);
}

/** Whoever names a source means it; where nobody does, one that is paused is left alone. */
function isPaused(bridge: Bridge, name: string, io: CommandIo): boolean {
  const pause = bridge.pauseOf(name);
  if (!pause) return false;
  const until = pause.until === undefined ? '' : ` until ${pause.until}`;
  say(io, `${name} is paused${until}, and was not read; rsbridge harvest ${name} reads it all the same`);
  return true;
}

/** An option that may have a value takes the next word, whatever it is: that of no number is a source. */
function withSwallowedName(
  names: readonly string[],
  flag: AcceptFlag | string | undefined,
): { readonly named: readonly string[]; readonly accept: AcceptFlag | undefined } {
  return typeof flag === 'string'
    ? { named: [flag, ...names], accept: true }
    : { named: names, accept: flag };
}

/**
 * @param stop nothing is begun after it
 * @returns the exit code of the last source, in their order, that did not end well
 */
async function sideBySide(
  sources: readonly HarvestSource[],
  stop: AbortSignal,
  harvestSource: (source: HarvestSource) => Promise<number>,
): Promise<number> {
  const waiting = [...sources.entries()];
  const codes = new Map<number, number>();
  const work = async () => {
    for (let next = waiting.shift(); next && !stop.aborted; next = waiting.shift()) {
      const [index, source] = next;
      try {
        codes.set(index, await harvestSource(source));
      } catch (error) {
        // A defect: what is under way may end well, but nothing more is begun.
        waiting.length = 0;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: harvestsAtOnce }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return sources.reduce<number>((code, _, index) => codes.get(index) || code, exitCodes.ok);
}

async function harvestOne(
  bridge: Bridge,
  source: HarvestSource,
  flags: HarvestFlags,
  accept: AcceptFlag | undefined,
  io: CommandIo,
  progress: HarvestProgress,
): Promise<number> {
  const options: HarvestOptions = {
    mode: flags.full ? 'full' : 'incremental',
    since: flags.since,
    limit: flags.limit,
    stop: io.stop,
    signal: io.abort,
    onProgress: (state) => progress.update(state),
  };
  progress.begin(source.name);
  try {
    if (accept !== undefined) {
      const exitCode = await acceptOne(bridge, source, accept, flags.json, io, (asked, total) =>
        progress.asked(source.name, asked, total),
      );
      if (!(flags.full || flags.identifiers) || io.stop.aborted) return exitCode;
    }
    if (flags.item) {
      const exitCode = await harvestItems(bridge, source, flags.item, flags.json, io);
      if (!io.stop.aborted) await followFiles(bridge, source.name, flags, io, progress);
      return exitCode;
    }
    if (flags.dryRun) {
      const report = await dryRun(bridge, source, options);
      printResult(
        io,
        flags.json,
        { dryRun: true, ...report },
        `${describeCounts(report)}${waiting(report.unseen)} (dry run, nothing stored)`,
      );
      return exitCodes.ok;
    }
    const reports = flags.identifiers
      ? [await identifierPass(bridge, source, { ...options, onProgress: (state) => progress.update(state) })]
      : await thoroughHarvest(bridge, source, options);
    for (const report of reports) {
      if ('skipped' in report) printSkipped(io, flags.json, source.name, report);
      else printResult(io, flags.json, report, describeReport(report));
    }
    if (!flags.identifiers && !io.stop.aborted) await followFiles(bridge, source.name, flags, io, progress);
    await askAgain(bridge, [source.name]);
    const isOpen = reports.some((report) => 'state' in report && report.state === 'needs-attention');
    return isOpen ? exitCodes.needsAttention : exitCodes.ok;
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    const { code, advice } = error;
    if (flags.json)
      printResult(io, true, { source: source.name, error: { code, message: error.message, advice } }, '');
    say(io, `${source.name}: ${describeError(error)}\n${advice} [${code}]`);
    return exitCodeOf(code);
  } finally {
    progress.finish(source.name);
  }
}

/** What the records name is worth nothing until somebody has asked for it. */
async function followFiles(
  bridge: Bridge,
  source: string,
  flags: HarvestFlags,
  io: CommandIo,
  progress: HarvestProgress,
): Promise<void> {
  if (flags.full) {
    const damaged = await lookAtMirror(
      bridge,
      source,
      'contents',
      eitherOf(io.stop, io.abort),
      (done, total) => progress.mirror(source, done, total),
    );
    if (damaged > 0)
      printResult(io, flags.json, { source, damagedFiles: damaged }, describeDamagedFiles(source, damaged));
  }
  const options: FileJobOptions = {
    stop: io.stop,
    signal: io.abort,
    toTheEnd: flags.full,
    onProgress: (state) => progress.files(source, state),
  };
  const files = await workOnFiles(bridge, source, options);
  const said = files && describeFileWork(source, files);
  if (said !== undefined) printResult(io, flags.json, { source, files }, said);
}

function printSkipped(io: CommandIo, json: boolean, source: string, { skipped }: Skipped): void {
  printResult(
    io,
    json,
    { source, mode: 'identifiers', skipped },
    `${source}: the identifiers were not listed: ${skipped}; rsbridge harvest ${source}`,
  );
}

function describeReport(report: HarvestReport): string {
  const counts = describeCounts(report);
  switch (report.state) {
    case 'needs-attention':
      if (report.unseen === 0)
        return `${counts}; a part of the list could not be read (rsbridge status): what is in there may be missing until a full harvest can read it`;
      if (report.suspected === 0)
        return `${counts}; ${countOf(report.unseen, 'resource')} not found, all in parts of the list that could not be read (rsbridge status); none was deleted, and a full harvest reads these parts again`;
      return `${counts}; ${areCountOf(report.unseen, 'resource')} missing from the list and were NOT deleted: rsbridge vanished ${report.source} lists them; what may go: rsbridge harvest ${report.source} --accept-deletions ${report.runId}`;
    case 'interrupted':
      return `${counts}; stopped before the end, the next harvest continues here`;
    default:
      return counts;
  }
}

function waiting(unseen: number): string {
  return unseen === 0 ? '' : `; ${countOf(unseen, 'resource')} not found`;
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
  const trouble = problems === 0 ? '' : `, ${countOf(problems, 'problem')} (rsbridge status)`;
  const what =
    mode === 'identifiers'
      ? `${countOf(items, 'identifier')} listed`
      : `${mode} harvest of ${countOf(items, 'record')}`;
  return `${source}: ${what}: ${created} created, ${updated} updated, ${deleted} deleted, ${unchanged} unchanged${trouble}`;
}
