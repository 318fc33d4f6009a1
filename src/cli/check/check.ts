import { mkdirSync, statfsSync } from 'node:fs';
import { type Bridge, openBridge } from '../../bridge/bridge.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { noSource } from '../../bridge/config/no-source.ts';
import { createLog } from '../../bridge/log.ts';
import { describeUnconfigured, unconfiguredSources } from '../../bridge/state/stored-sources.ts';
import { withheldJointDumps } from '../../bridge/state/withheld-dumps.ts';
import type { Config } from '../../core/config/config.ts';
import { countOf } from '../../core/count-of.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { checkBlobs } from './check-blobs.ts';
import { checkDatabase, toFinding } from './check-database.ts';
import { checkObjects, checkPublished } from './check-objects.ts';
import { checkSources } from './check-sources.ts';
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
    printResult(io, flags.json, finding, `${wordOf(finding)}  ${finding.check}: ${finding.message}`);
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
    return io.stop.aborted ? exitCodes.interrupted : exitCode;
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

function wordOf({ ok, mend, notAsked }: Finding): string {
  if (ok) return mend === undefined ? 'ok  ' : 'note';
  return notAsked ? 'warn' : 'FAIL';
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
  yield* checkSources(bridge, progress);
  // Whoever ended it waits for nothing else.
  if (io.stop.aborted) return;
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
