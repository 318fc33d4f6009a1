import { type Bridge, openBridge } from '../../bridge/bridge.ts';
import type { ConfigChanges } from '../../bridge/config/live-config.ts';
import { noSourceError } from '../../bridge/config/no-source.ts';
import { type Crew, mayHaveCrew, startCrew } from '../../bridge/crew/crew.ts';
import { memberOf } from '../../bridge/crew/messages.ts';
import { createLog } from '../../bridge/log.ts';
import { type Service, startService } from '../../bridge/service.ts';
import { renameOlderJournals } from '../../bridge/state/older-database.ts';
import { describeUnconfigured, unconfiguredSources } from '../../bridge/state/stored-sources.ts';
import { unusedSource, watchConfig } from '../../bridge/work/reloading.ts';
import { failure } from '../../core/errors.ts';
import { listKeptSources } from '../../store/sources/kept-sources.ts';
import { listHarvestedSources } from '../../store/sources/sources.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { logError } from '../terminal/report-error.ts';
import { answer, readConfig, type ServeFlags } from './answer.ts';

/** Migrates, serves, and harvests and publishes on schedule, until it is told to stop. */
export async function serveCommand(flags: ServeFlags, io: CommandIo): Promise<number> {
  try {
    return await serve(flags, io);
  } catch (error) {
    return logError(error, flags.json, io);
  }
}

async function serve(flags: ServeFlags, io: CommandIo): Promise<number> {
  const member = memberOf(io.env);
  if (member) return answer(flags, member, io);
  const given = readConfig(flags, io);
  const bridge = await openBridge(given, createLog(given.logLevel, io.stderr), 'migrate', io.stop);
  try {
    const { config } = bridge;
    const names = Object.keys(config.sources);
    if (names.length === 0) throw noSourceError();
    for (const problem of bridge.problems) bridge.log.warn({ problem }, unusedSource);
    await warnOfUnconfigured(bridge);
    await renameOlderJournals(bridge, names);
    const crew = await createCrew(bridge, io);
    const service = await startService(bridge, config.listen, io, crew && { listen: async () => crew });
    const { address, port } = service.address;
    printResult(
      io,
      flags.json,
      {
        listening: `http://${address}:${port}`,
        baseUrl: config.baseUrl,
        sources: names,
      },
      `listening on http://${address}:${port}, public address ${config.baseUrl}`,
    );
    const begun: Promise<void>[] = [];
    const begin = (work: Promise<void>) =>
      begun.push(
        work.catch((error: unknown) => bridge.log.error({ ...failure(error) }, 'sources not begun')),
      );
    const reloading = watchConfig(
      bridge,
      async () => {
        const next = readConfig(flags, io);
        const kept = await listKeptSources(bridge.database.reader);
        if (Object.keys(next.sources).length + kept.length === 0) throw noSourceError();
        return next;
      },
      async (next) => {
        const changes = await service.replaceSources(next);
        begin(followChanges(bridge, service, changes));
        return changes;
      },
      io.stop,
    );
    io.onHangup?.(() => {
      crew?.reload();
      void reloading.reload();
    });
    begin(harvestNewcomers(bridge, service, names));
    await untilStopped(io);
    bridge.log.info('finishing current work');
    await Promise.all([reloading.stop(), service.close()]);
    await Promise.all(begun);
    return exitCodes.ok;
  } finally {
    await bridge.close();
  }
}

/** @returns undefined where this process answers by itself */
async function createCrew({ config, log }: Bridge, io: CommandIo): Promise<Crew | undefined> {
  const { processes } = config.listen;
  if (processes === 1) return undefined;
  if (!mayHaveCrew) {
    log.warn('another program made this process a part of a cluster: it answers alone (listen.processes)');
    return undefined;
  }
  return startCrew({ processes, log, write: (line) => io.stderr.write(line), abort: io.abort });
}

async function followChanges(
  bridge: Bridge,
  service: Service,
  { added, removed, resumed }: ConfigChanges,
): Promise<void> {
  if (removed.length > 0) await warnOfUnconfigured(bridge);
  await renameOlderJournals(bridge, added);
  await harvestNewcomers(bridge, service, [...added, ...resumed]);
}

async function warnOfUnconfigured(bridge: Bridge): Promise<void> {
  for (const source of await unconfiguredSources(bridge)) {
    bridge.log.warn({ source: source.name }, describeUnconfigured(source));
  }
}

/** A source that was never read, or not to the end, does not wait for its schedule; nor do files on their way. */
async function harvestNewcomers(bridge: Bridge, service: Service, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const begun = await listHarvestedSources(bridge.database.reader);
  await Promise.all(
    names.map(async (name) => {
      if (!begun.has(name)) await service.harvestNow(name, { mode: 'full' });
      else void service.followFiles(name);
    }),
  );
}

export function untilStopped(io: CommandIo): Promise<void> {
  return new Promise((resolve) => {
    if (io.stop.aborted) resolve();
    else io.stop.addEventListener('abort', () => resolve(), { once: true });
  });
}
