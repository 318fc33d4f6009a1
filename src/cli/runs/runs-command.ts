import type { Bridge } from '../../bridge/bridge.ts';
import { countOf } from '../../core/count-of.ts';
import { toMilliseconds } from '../../core/datetime.ts';
import { toRun } from '../../server/api/json-views.ts';
import { listRunsBefore } from '../../store/runs/recent-runs.ts';
import type { Run, RunKind } from '../../store/runs/runs.ts';
import { type CountDifference, latestDifference, listCounts } from '../../store/sources/counts.ts';
import { findSource } from '../../store/sources/sources.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { printable, printableJson } from '../terminal/terminal-text.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface RunsFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly limit: number;
  readonly counts: boolean;
}

/** What was done with a source, run by run; or what there was of it, day by day. */
export async function runsCommand(name: string, flags: RunsFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    bridge.source(name);
    if (flags.counts) await printCounts(bridge, name, flags, io);
    else await printRuns(bridge, name, flags, io);
    return exitCodes.ok;
  });
}

async function printRuns(
  { database }: Bridge,
  name: string,
  { json, limit }: RunsFlags,
  io: CommandIo,
): Promise<void> {
  const runs = await listRunsBefore(database.reader, name, { limit });
  if (runs.length === 0 && !json) printResult(io, false, {}, `${name} was not read yet`);
  for (const run of runs)
    io.stdout.write(`${json ? printableJson({ source: name, ...toRun(run) }) : describeRun(run)}\n`);
}

function describeRun(run: Run<RunKind>): string {
  const { id, mode, state, startedAt, endedAt, items, created, updated, deleted, problems, error } = run;
  const seconds =
    endedAt === undefined
      ? undefined
      : Math.round((toMilliseconds(endedAt) - toMilliseconds(startedAt)) / 1000);
  const took = seconds === undefined ? '' : `, ${seconds} s`;
  const why = error === undefined ? '' : `: ${printable(error.message)} [${error.code}]`;
  return `run ${id}  ${startedAt}  ${mode}, ${state}${took}: ${countOf(items, 'record')} read, ${created} created, ${updated} updated, ${deleted} deleted, ${countOf(problems, 'problem')}${why}`;
}

async function printCounts(
  { database }: Bridge,
  name: string,
  { json }: RunsFlags,
  io: CommandIo,
): Promise<void> {
  const stored = await findSource(database.reader, name);
  const counts = stored ? await listCounts(database.reader, stored.id) : [];
  if (counts.length === 0 && !json)
    printResult(io, false, {}, `${name}: nothing yet; what there is, is counted whenever a run has ended`);
  for (const { day, items, records, stated } of counts) {
    const read = records === undefined ? '' : `, ${countOf(records, 'record')} read in full`;
    const own = stated === undefined ? '' : `, ${stated} by its own count`;
    const text = `${day}  ${countOf(items ?? 0, 'item')}${read}${own}`;
    printResult(io, json, { source: name, day, items, records, stated }, text);
  }
  if (json || counts.length === 0) return;
  printResult(io, false, {}, describeDifference(name, latestDifference(counts)));
}

function describeDifference(name: string, found: CountDifference | undefined): string {
  if (found === undefined)
    return `${name} does not say how many records it has in all, or no harvest of everything has ended since counts are kept`;
  const { day, records, stated, difference } = found;
  const how =
    difference === 0
      ? 'as many as'
      : `${Math.abs(difference)} ${difference < 0 ? 'fewer' : 'more'} than the ${stated}`;
  return `on ${day} a harvest of everything read ${countOf(records, 'record')}, ${how} the repository says that it has`;
}
