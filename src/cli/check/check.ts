import { mkdirSync, statfsSync } from 'node:fs';
import { type Bridge, openBridge } from '../../bridge/bridge.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { noSource } from '../../bridge/config/no-source.ts';
import { createLog } from '../../bridge/log.ts';
import { describeUnconfigured, unconfiguredSources } from '../../bridge/state/stored-sources.ts';
import { withheldDumps, withheldJointDumps } from '../../bridge/state/withheld-dumps.ts';
import type { RepositoryInfo } from '../../core/adapter.ts';
import type { Config } from '../../core/config/config.ts';
import { offeredOai } from '../../core/config/oai-schema.ts';
import { isDspace } from '../../core/config/published-formats.ts';
import { areCountOf, countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';
import { offeredFormats } from '../../oai/formats.ts';
import { countWithheldFiles, totalOf } from '../../store/files/withheld-files.ts';
import { countUnreadable } from '../../store/runs/unreadable.ts';
import { countVanished } from '../../store/runs/vanished.ts';
import { readJournal } from '../../store/sources/journal.ts';
import { findSource } from '../../store/sources/sources.ts';
import { exitCodeOf, exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { checkBlobs } from './check-blobs.ts';
import { checkDatabase, toFinding } from './check-database.ts';
import { checkDspace } from './check-dspace.ts';
import { checkFiles } from './check-files.ts';
import { checkObjects, checkPublished } from './check-objects.ts';
import { findSetFaults } from './check-sets.ts';
import type { Finding } from './finding.ts';

/** Looks at everything a run depends on, changes nothing but the database's schema, and says what it found. */
export async function checkCommand(
  flags: { config?: string; json: boolean; blobs: boolean },
  given: CommandIo,
): Promise<number> {
  const progress = createProgress(given, flags);
  const { io } = progress;
  const config = loadConfig(flags, io.env, io.cwd);
  const print = (finding: Finding) =>
    printResult(
      io,
      flags.json,
      finding,
      `${finding.ok ? 'ok  ' : 'FAIL'}  ${finding.check}: ${finding.message}`,
    );
  let exitCode: number = exitCodes.ok;
  const printConfiguration = (loaded: Config) => {
    const finding = configurationFinding(loaded);
    if (!finding.ok) exitCode = exitCodes.usage;
    print(finding);
  };
  let bridge: Bridge | undefined;
  try {
    bridge = await openBridge(config, createLog('silent', io.stderr), 'migrate', io.stop);
    printConfiguration(bridge.config);
    for (const message of bridge.problems) {
      exitCode = exitCodes.usage;
      print({ check: 'sources', ok: false, message, exitCode });
    }
    for await (const finding of checkFindings(bridge, progress, flags.blobs)) {
      print(finding);
      // Nothing else is worth looking at while the storage is not sound.
      if (!finding.ok && exitCode !== exitCodes.storage) exitCode = finding.exitCode ?? exitCodes.internal;
    }
    return exitCode;
  } catch (error) {
    const finding = toFinding(error);
    if (!finding) throw error;
    if (!bridge) printConfiguration(config);
    print(finding);
    return exitCodes.storage;
  } finally {
    progress.end();
    await bridge?.close();
  }
}

export function configurationFinding({ sources, baseUrl }: Config): Finding {
  const configured = Object.keys(sources).length;
  const check = 'configuration';
  if (configured === 0) return { check, ok: false, message: noSource, mend: 'rsbridge init URL' };
  return { check, ok: true, message: `${countOf(configured, 'source')}, served as ${baseUrl}` };
}

/** Everything but the configuration. @param blobs also what is stored, byte by byte */
export async function* checkFindings(
  bridge: Bridge,
  progress: Progress,
  blobs: boolean,
): AsyncGenerator<Finding> {
  const { io } = progress;
  for await (const finding of checkDatabase(bridge)) {
    yield finding;
    if (finding.exitCode === exitCodes.storage) return;
  }
  yield checkDisk(bridge.config.directory);
  if (bridge.objects) {
    yield await checkObjects(bridge.objects, io.abort);
    yield await checkPublished(bridge.config.directory, io.abort);
  }
  for (const source of await unconfiguredSources(bridge)) {
    const ok = source.removedAt !== undefined;
    const message = describeUnconfigured(source);
    const exitCode = exitCodes.needsAttention;
    const mend = `rsbridge remove ${source.name}`;
    yield { check: `source ${source.name}`, ok, message, ...(ok ? {} : { exitCode, mend }) };
  }
  for (const source of bridge.sources()) {
    const { finding, info } = await checkSource(source, io.abort);
    yield finding;
    if (info !== undefined) yield* checkDspace(bridge, source, io.abort);
    for await (const { set, message } of info ? findSetFaults(source, info, io.abort) : []) {
      const mend = `rsbridge sources show ${source.name}`;
      yield { check: `set ${set}`, ok: false, message, exitCode: exitCodes.usage, mend };
    }
    for (const message of await withheldDumps(bridge, source.name)) {
      const mend = `rsbridge publish ${source.name}`;
      const exitCode = exitCodes.needsAttention;
      yield { check: `dumps of ${source.name}`, ok: false, message, exitCode, mend };
    }
    yield* checkOaiOffer(source, info);
    yield* checkItems(bridge, source.name);
    yield* checkFiles(bridge, source.name);
    yield await checkClock(bridge, source.name);
  }
  for (const set of bridge.jointSets()) {
    const message = await withheldJointDumps(bridge, set);
    const told = { ok: false, exitCode: exitCodes.needsAttention, mend: `rsbridge publish ${set.path}` };
    if (message !== undefined) yield { check: `dumps of ${set.path}`, message, ...told };
  }
  if (blobs)
    yield* checkBlobs(bridge, io.abort, (done, total) =>
      progress.show('payloads', { label: 'payloads', done, total, noun: 'byte', deed: 'read' }),
    );
}

/** A source that is to answer OAI-PMH has to have what every repository offers. */
function* checkOaiOffer(
  { name, config }: HarvestSource,
  info: RepositoryInfo | undefined,
): Generator<Finding> {
  if (!info || !offeredOai(config.oai)) return;
  const check = `OAI-PMH at /${name}/oai`;
  if (offeredFormats(info)) return yield { check, ok: true, message: 'it is answered' };
  const message =
    'it is not answered, because no records come in oai_dc; add oai_dc to `formats` of the source';
  yield { check, ok: false, message, exitCode: exitCodes.usage };
}

/** What a person is asked to look at. */
async function* checkItems({ database }: Bridge, name: string): AsyncGenerator<Finding> {
  const stored = await findSource(database.reader, name);
  if (stored === undefined) return;
  const { items, runId } = await countVanished(database.reader, stored.id);
  const unreadable = await countUnreadable(database.reader, stored.id);
  if (unreadable > 0) {
    const message = `${unreadable} could not be read; rsbridge problems ${name} lists them`;
    const mend = `rsbridge problems ${name}`;
    yield { check: `records of ${name}`, ok: false, message, exitCode: exitCodes.needsAttention, mend };
  }
  const withheld = await countWithheldFiles(database.reader, stored.id);
  if (withheld.fuseAt !== undefined) {
    const files = areCountOf(totalOf(withheld), 'published file');
    const message = `${files} not served since ${withheld.fuseAt}, too many at once to be deleted; rsbridge refused ${name} lists them`;
    const mend = `rsbridge refused ${name}`;
    yield { check: `withheld from ${name}`, ok: false, message, exitCode: exitCodes.needsAttention, mend };
  }
  if (items === 0) return;
  const message = `${areCountOf(items, 'item')} missing from the list of run ${runId}, and still published; rsbridge vanished ${name} lists them`;
  const mend = `rsbridge vanished ${name}`;
  yield { check: `vanished from ${name}`, ok: false, message, exitCode: exitCodes.needsAttention, mend };
}

const enoughBytes = 512 * 1024 * 1024;

function checkDisk(directory: string): Finding {
  mkdirSync(directory, { recursive: true });
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  const gigabytes = (free / 1024 ** 3).toFixed(1);
  return {
    check: 'disk',
    ok: free >= enoughBytes,
    message: `${gigabytes} GiB free in ${directory}`,
    ...(free >= enoughBytes ? {} : { exitCode: exitCodes.storage, mend: `du -xh ${directory} | sort -h` }),
  };
}

/** Configured, for publication or for files, and not to be had. */
function absentFormats({ config }: HarvestSource, { formats }: RepositoryInfo): readonly string[] {
  const offered = new Set(formats.filter((format) => format.offered).map(({ name }) => name));
  const absent = formats.filter((format) => !format.offered).map(({ name }) => name);
  const { mode, from } = config.files;
  // A repository that cannot list its formats is harvested all the same.
  const lacking = mode !== 'none' && from !== undefined && offered.size > 0 && !offered.has(from);
  return [...new Set([...absent, ...(lacking ? [from] : [])])];
}

function describeFiles({ config }: HarvestSource, { formats }: RepositoryInfo): string {
  const { mode, from, bundles } = config.files;
  if (mode === 'none') return '; no files';
  if (isDspace(config)) return `; files by ${mode}, of ${(bundles ?? ['ORIGINAL']).join(', ')}`;
  const known = formats.filter(({ selected, fileRank }) => selected && fileRank !== undefined);
  const best = known.sort((a, b) => (a.fileRank ?? 0) - (b.fileRank ?? 0)).map(({ name }) => name);
  return `; files by ${mode}, found in ${from ?? (best.join(', ') || 'landing pages')}`;
}

async function checkSource(
  source: HarvestSource,
  signal: AbortSignal,
): Promise<{ readonly finding: Finding; readonly info?: RepositoryInfo }> {
  const check = `source ${source.name}`;
  try {
    const info = await source.adapter.identify(signal);
    const chosen = info.formats.filter((format) => format.selected).map((format) => format.name);
    const absent = absentFormats(source, info);
    if (absent.length > 0) {
      const message = `${info.name} does not list the configured format ${absent.join(', ')}${offeredBy(info)} [oai-unknown-format]`;
      const mend = `sources: { ${source.name}: { formats: [${chosen.filter((name) => !absent.includes(name)).join(', ')}] } }`;
      return { finding: { check, ok: false, message, exitCode: exitCodes.upstream, mend }, info };
    }
    const others = info.formats.filter((format) => !format.selected).map((format) => format.name);
    const offered = others.length === 0 ? '' : ` (also offered: ${others.join(', ')})`;
    const finding = {
      check,
      ok: true,
      message: `${info.name}, ${info.protocol} ${info.protocolVersion}, deletions ${info.deletedRecords}, granularity ${info.granularity}, formats ${chosen.join(', ')}${offered}${describeFiles(source, info)}`,
    };
    return { finding, info };
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    const message = `${describeError(error)}. ${error.advice} [${error.code}]`;
    const mend = `rsbridge init '${source.config.url}' --dry-run --verbose`;
    return { finding: { check, ok: false, message, exitCode: exitCodeOf(error.code), mend } };
  }
}

function offeredBy(info: RepositoryInfo): string {
  const names = info.formats.filter((format) => format.offered).map((format) => format.name);
  return names.length === 0 ? '; its list of formats could not be read' : `; it offers ${names.join(', ')}`;
}

/** A clock that was set back makes every change carry the journal's last time until it has caught up. */
async function checkClock(bridge: Bridge, source: string): Promise<Finding> {
  const journal = await readJournal(bridge.database.reader, source);
  const now = toIso(bridge.clock.now());
  const ahead = journal !== undefined && journal.at > now;
  return {
    check: `clock for ${source}`,
    ok: !ahead,
    message: ahead
      ? `it is ${now} here, but the journal already stands at ${journal.at}; until then every change is dated ${journal.at}. Set the clock right (NTP).`
      : `nothing in the journal is later than this clock, which says ${now}`,
    ...(ahead ? { exitCode: exitCodes.needsAttention, mend: 'timedatectl set-ntp true' } : {}),
  };
}
