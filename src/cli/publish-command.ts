import { BridgeError } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { readJournal } from '../store/journal.ts';
import { type Bridge, openBridge } from './bridge.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommandIo, printResult, say } from './io.ts';
import { loadConfig } from './load-config.ts';
import { createLog } from './log.ts';

export interface PublishFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly dryRun: boolean;
}

/** Writes every document of the named sets anew where it has to be, and the Source Description. */
export async function publishCommand(
  names: readonly string[],
  flags: PublishFlags,
  io: CommandIo,
): Promise<number> {
  const config = loadConfig(flags, io.env, io.cwd);
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, io.stderr);
  const bridge = await openBridge(config, log, flags.dryRun ? 'check' : 'migrate');
  try {
    for (const set of chooseSets(bridge, names)) {
      if (io.stop.aborted) return exitCodes.interrupted;
      if (flags.dryRun) await preview(bridge, set, flags, io);
      else await publishOne(bridge, set, flags, io);
    }
    if (!flags.dryRun) await bridge.publisher.publishSite(bridge.sets());
    return exitCodes.ok;
  } finally {
    await bridge.close();
  }
}

function chooseSets(bridge: Bridge, names: readonly string[]): readonly ResourceSet[] {
  const all = bridge.sets();
  if (all.length === 0) throw new BridgeError('config-invalid', 'no source is configured');
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
): Promise<void> {
  const report = await bridge.publisher.publish(set, {
    resourceList: 'always',
    flat: 'always',
    signal: io.abort,
  });
  if (report.documents.length === 0) {
    say(io, `${set.path}: nothing to publish yet; rsbridge harvest ${set.source}`);
    return;
  }
  const entries = report.documents.reduce((sum, document) => sum + document.entries, 0);
  printResult(
    io,
    flags.json,
    report,
    `${set.path}: ${report.documents.length} documents with ${entries} entries → ${bridge.config.baseUrl}/${set.path}/capabilitylist.xml`,
  );
}

async function preview(bridge: Bridge, set: ResourceSet, flags: PublishFlags, io: CommandIo): Promise<void> {
  const journal = await readJournal(bridge.database.reader, set.source);
  const changes = journal?.seq ?? 0;
  printResult(
    io,
    flags.json,
    { dryRun: true, set: set.path, changes },
    `${set.path}: would publish ${changes} changes of the journal (dry run, nothing written)`,
  );
}
