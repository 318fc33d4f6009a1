import { resolve } from 'node:path';
import { type Bridge, openBridge } from '../../bridge/bridge.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { noSourceError } from '../../bridge/config/no-source.ts';
import { createLog } from '../../bridge/log.ts';
import { forReading } from '../../bridge/stored-bridge.ts';
import { areCountOf, countOf } from '../../core/count-of.ts';
import { type ExportReport, exportPublication } from '../../export/export.ts';
import type { AbsentSource } from '../../export/past/past-moment.ts';
import { exportPast, type PastExportReport } from '../../export/past-export.ts';
import { writeSetLinks } from '../../export/site/set-links.ts';
import { mayName, type NamedSources } from '../../publish/published/publication.ts';
import { listMarkedPrivate } from '../../store/sources/private-sources.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { createExportPages } from './export-pages.ts';
import { createExportProgress } from './export-progress.ts';
import { publishForExport } from './export-publish.ts';

export interface ExportFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly dryRun: boolean;
  /** Compare every file, whatever the last export said. */
  readonly full: boolean;
  /** What is not for everybody, too. */
  readonly private: boolean;
  /** ISO: lay out what was then, instead of what is published. */
  readonly at?: string;
}

/** Publishes what is new, and lays the whole publication out as files; with `at` what was then, publishing nothing. */
export async function exportCommand(target: string, flags: ExportFlags, given: CommandIo): Promise<number> {
  const progress = createProgress(given, flags);
  const { io } = progress;
  const config = loadConfig(flags, io.env, io.cwd);
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, io.stderr);
  const bridge = await openBridge(config, log, flags.dryRun ? 'check' : 'migrate');
  try {
    if (Object.keys(bridge.config.sources).length === 0) throw noSourceError();
    if (!flags.dryRun && flags.at === undefined) await publishForExport(bridge, progress);
    if (io.stop.aborted) return exitCodes.interrupted;
    const report = await exportTo(await forReading(bridge), resolve(io.cwd, target), flags, progress);
    await tellPrivate(bridge, flags, io);
    if (!report) {
      say(io, 'nothing is published yet; type: rsbridge harvest');
      return exitCodes.ok;
    }
    printResult(
      io,
      flags.json,
      { ...(flags.dryRun ? { dryRun: true } : {}), ...report },
      describe(report, flags),
    );
    if (report.left > 0) say(io, describeLeft(report.left));
    if ('absent' in report) {
      if (report.withheld > 0) say(io, describeWithheld(report.withheld));
      for (const source of report.absent) say(io, describeAbsence(source));
    }
    return exitCodes.ok;
  } finally {
    progress.end();
    await bridge.close();
  }
}

async function exportTo(
  bridge: Bridge,
  target: string,
  flags: ExportFlags,
  progress: Progress,
): Promise<ExportReport | PastExportReport | undefined> {
  const { config, database, log } = bridge;
  const pages = createExportPages(bridge, flags.private);
  const hidden = flags.private ? [] : await privateSources(bridge);
  const isChosen = (path: string, joint?: NamedSources) =>
    !hidden.includes(path.split('/', 1)[0] ?? path) && !(joint && mayName(joint, hidden));
  const sets = bridge.sets().filter(({ path }) => isChosen(path));
  const exporting = createExportProgress(progress);
  const settings = {
    database,
    directory: config.directory,
    target,
    apart: [config.directory, ...(config.database.client === 'sqlite' ? [config.database.file] : [])],
    baseUrl: config.baseUrl,
    pages,
    fileMode: (source: string) => config.sources[source]?.files.mode,
    ...{ isChosen, hidden },
    setOf: (path: string) => bridge.sets().find((set) => set.path === path),
    log,
    dryRun: flags.dryRun,
    full: flags.full,
    signal: progress.io.stop,
    onProgress: exporting,
  };
  try {
    if (flags.at === undefined) {
      const report = await exportPublication(settings);
      if (report && !flags.dryRun) await writeSetLinks(target, config.baseUrl, sets);
      return report;
    }
    const past = {
      at: flags.at,
      // What was in a set across sources is in those of its sources.
      sets: sets.filter(({ members }) => members === undefined),
      clock: bridge.clock,
      title: config.title,
      ofDeleted: (source: string) => config.sources[source]?.mementos.ofDeleted ?? true,
    };
    return await exportPast({ ...settings, ...past });
  } finally {
    await pages.close();
  }
}

/** Configured ones, and those that have left the configuration. */
async function privateSources({ config, database }: Bridge): Promise<readonly string[]> {
  const configured = Object.entries(config.sources);
  const marked = (await listMarkedPrivate(database.reader)).filter(
    (name) => !Object.hasOwn(config.sources, name),
  );
  return [...configured.flatMap(([name, { access }]) => (access ? [name] : [])), ...marked];
}

/** A directory asks nobody for a token. */
async function tellPrivate(bridge: Bridge, flags: ExportFlags, io: CommandIo): Promise<void> {
  const names = await privateSources(bridge);
  if (names.length === 0) return;
  const [all, are] = [names.join(', '), names.length === 1 ? 'is' : 'are'];
  say(
    io,
    flags.private
      ? `${all} ${are} private and in the directory, where whoever can read it reads that, too; no Source Description names it`
      : `${all} ${are} private and left out; --private lays out that, too`,
  );
}

function describe(report: ExportReport, { dryRun }: ExportFlags): string {
  const { documents, resources, written, unchanged, removed, bytes, missing, ms } = report;
  const lost =
    missing === 0 ? '' : `; the content of ${countOf(missing, 'listed resource')} could not be read`;
  const ending = dryRun ? 'dry run, nothing written' : `${(ms / 1000).toFixed(1)} s`;
  return `${countOf(documents, 'document')} and ${countOf(resources, 'resource')}: ${countOf(written, 'file')} written (${countOf(bytes, 'byte')}), ${unchanged} unchanged, ${countOf(removed, 'file')} removed${lost} (${ending})`;
}

/** Nothing is wrong; but whoever serves the export has to know. */
function describeLeft(left: number): string {
  const [files, them] = [areCountOf(left, 'file'), left === 1 ? 'it' : 'them'];
  return `${files} fetched from the repository on request, so an export cannot contain ${them}: set files.mode to mirror, or let the web server pass requests for absent files on to rsbridge serve (docs/static.md)`;
}

function describeWithheld(withheld: number): string {
  const what = `${countOf(withheld, 'resource')} of that time ${withheld === 1 ? 'was' : 'were'}`;
  return `${what} deleted or withdrawn since, and left out, though the lists may name them: files that are gone, what its repository or the operator keeps from everybody, and, with mementos.ofDeleted: false, deleted metadata`;
}

function describeAbsence({ name, since }: AbsentSource): string {
  const known = since === undefined ? 'that has not happened yet' : `it was at ${since}`;
  return `${name} is left out: at that time it had not been read completely (${known})`;
}
