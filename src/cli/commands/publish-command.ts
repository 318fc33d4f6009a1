import { type Bridge, openBridge } from '../../bridge/bridge.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { noSourceError } from '../../bridge/config/no-source.ts';
import { createLog } from '../../bridge/log.ts';
import { renameOlderJournals } from '../../bridge/older-database.ts';
import { announcePrivateSets } from '../../bridge/withdrawals/private-sets.ts';
import { countOf } from '../../core/count-of.ts';
import { BridgeError, type ErrorCode, isBridgeError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { PublishOptions, PublishReport } from '../../publish/publisher.ts';
import { readJournal } from '../../store/sources/journal.ts';
import { noteCommand } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { createProgress } from '../terminal/progress.ts';
import { createPublishProgress } from '../terminal/publish-progress.ts';
import { reportError } from '../terminal/report-error.ts';

export interface PublishFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly dryRun: boolean;
  /** Close the open Change Lists now. */
  readonly close: boolean;
  /** No dumps, which take as long as the content is large. */
  readonly listsOnly: boolean;
}

/** Writes every document of the named sets anew where it has to be, and the Source Description. */
export async function publishCommand(
  names: readonly string[],
  flags: PublishFlags,
  given: CommandIo,
): Promise<number> {
  const progress = createProgress(given, flags);
  const { io } = progress;
  const config = loadConfig(flags, io.env, io.cwd);
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, io.stderr);
  const bridge = await openBridge(config, log, flags.dryRun ? 'check' : 'migrate');
  try {
    let exitCode: number = exitCodes.ok;
    const sets = chooseSets(bridge, names);
    if (!flags.dryRun) await announcePrivateSets(bridge, { stop: io.stop, signal: io.abort });
    if (!flags.dryRun) await renameOlderJournals(bridge, sets);
    const publishing = createPublishProgress(
      progress,
      sets.map(({ path }) => path),
    );
    for (const set of sets) {
      if (io.stop.aborted) return exitCodes.interrupted;
      if (!flags.dryRun) publishing.begin(set.path);
      try {
        if (flags.dryRun) await preview(bridge, set, flags, io);
        else await patiently(bridge, io, () => publishOne(bridge, set, flags, io, publishing.of(set.path)));
      } catch (error) {
        // What ails one set, the others need not suffer from.
        if (!isBridgeError(error) || !ofOneSet.includes(error.code)) throw error;
        exitCode = reportError(error, flags.json, io);
      }
    }
    if (!flags.dryRun) await bridge.publisher.publishSite(bridge.sets());
    if (!flags.dryRun) await noteCommand(bridge, 'published', names.join(' ') || undefined);
    return exitCode;
  } finally {
    progress.end();
    await bridge.close();
  }
}

async function whyNothing({ database }: Bridge, { source, members }: ResourceSet): Promise<string> {
  const journal = await readJournal(database.reader, source);
  return journal?.firstPassSeq === undefined
    ? `nothing to publish yet; type: rsbridge harvest${members ? '' : ` ${source}`}`
    : 'nothing to publish: there is nothing in it, and its addresses answer 404 until there is';
}

/** Beside `serve` a set is often being published, but seldom for long. */
const attempts = 50;
const pauseMs = 200;

async function patiently(bridge: Bridge, io: CommandIo, publish: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await publish();
      return;
    } catch (error) {
      const again = isBridgeError(error, 'publication-busy') && attempt < attempts && !io.stop.aborted;
      if (!again) throw error;
      await bridge.clock.sleep(pauseMs);
    }
  }
}

const ofOneSet: readonly ErrorCode[] = ['unknown-collection', 'content-damaged', 'publication-busy'];

function chooseSets(bridge: Bridge, names: readonly string[]): readonly ResourceSet[] {
  const all = bridge.sets();
  if (all.length === 0) throw noSourceError();
  if (names.length === 0) return all;
  return names.map((name) => {
    const set = all.find(({ path }) => path === name.replace(/\/+$/, ''));
    if (set) return set;
    throw new BridgeError(
      'unknown-set',
      `there is no set ${name}; there are ${all.map(({ path }) => path).join(', ')}`,
    );
  });
}

async function publishOne(
  bridge: Bridge,
  set: ResourceSet,
  flags: PublishFlags,
  io: CommandIo,
  onProgress: PublishOptions['onProgress'],
): Promise<void> {
  const report = await bridge.publisher.publish(set, {
    resourceList: 'always',
    flat: 'always',
    close: flags.close,
    signal: io.abort,
    onProgress,
  });
  if (!report.published) {
    say(io, `${set.path}: ${await whyNothing(bridge, set)}`);
    return;
  }
  printReport(bridge, set, report, flags, io);
  if (flags.listsOnly || !set.dumps) return;
  const dumps = await bridge.publisher.publishDumps(set, {
    resourceDump: 'always',
    signal: io.abort,
    onProgress,
  });
  printReport(bridge, set, dumps, flags, io);
}

function printReport(
  { config }: Bridge,
  set: ResourceSet,
  report: PublishReport,
  flags: PublishFlags,
  io: CommandIo,
): void {
  const count = report.documents.length;
  const entries = report.documents.reduce((sum, document) => sum + document.entries, 0);
  const what = `${countOf(count, 'document')} with ${countOf(entries, 'entry')}`;
  printResult(
    io,
    flags.json,
    report,
    `${set.path}: ${what} → ${config.baseUrl}/${set.path}/capabilitylist.xml`,
  );
}

async function preview(bridge: Bridge, set: ResourceSet, flags: PublishFlags, io: CommandIo): Promise<void> {
  const journal = await readJournal(bridge.database.reader, set.source);
  const changes = journal?.seq ?? 0;
  printResult(
    io,
    flags.json,
    { dryRun: true, set: set.path, changes },
    `${set.path}: would publish ${countOf(changes, 'change')} of the journal (dry run, nothing written)`,
  );
}
