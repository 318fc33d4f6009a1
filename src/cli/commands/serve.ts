import { type Bridge, openBridge } from '../../bridge/bridge.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { noSourceError } from '../../bridge/config/no-source.ts';
import { createLog } from '../../bridge/log.ts';
import { type Service, startService } from '../../bridge/service.ts';
import { renameOlderJournals } from '../../bridge/state/older-database.ts';
import { describeUnconfigured, unconfiguredSources } from '../../bridge/state/stored-sources.ts';
import { listHarvestedSources } from '../../store/sources/sources.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { logError } from '../terminal/report-error.ts';

export interface ServeFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly port?: number;
  readonly host?: string;
}

/** Migrates, serves, and harvests and publishes on schedule, until it is told to stop. */
export async function serveCommand(flags: ServeFlags, io: CommandIo): Promise<number> {
  try {
    return await serve(flags, io);
  } catch (error) {
    return logError(error, flags.json, io);
  }
}

async function serve(flags: ServeFlags, io: CommandIo): Promise<number> {
  const overrides = { 'listen.port': flags.port, 'listen.host': flags.host };
  const config = loadConfig({ ...flags, overrides }, io.env, io.cwd);
  if (Object.keys(config.sources).length === 0) {
    throw noSourceError();
  }
  const bridge = await openBridge(config, createLog(config.logLevel, io.stderr), 'migrate', io.stop);
  try {
    for (const source of await unconfiguredSources(bridge)) {
      bridge.log.warn({ source: source.name }, describeUnconfigured(source));
    }
    await renameOlderJournals(bridge, Object.keys(config.sources));
    const service = await startService(bridge, config.listen, io);
    const { address, port } = service.address;
    printResult(
      io,
      flags.json,
      {
        listening: `http://${address}:${port}`,
        baseUrl: config.baseUrl,
        sources: Object.keys(config.sources),
      },
      `listening on http://${address}:${port}, public address ${config.baseUrl}`,
    );
    const first = harvestNewcomers(bridge, service);
    await untilStopped(io);
    bridge.log.info('finishing current work');
    await service.close();
    await first;
    return exitCodes.ok;
  } finally {
    await bridge.close();
  }
}

/** A source that was never read, or not to the end, does not wait for its schedule; nor do files on their way. */
async function harvestNewcomers(bridge: Bridge, service: Service): Promise<void> {
  const begun = await listHarvestedSources(bridge.database.reader);
  await Promise.all(
    Object.keys(bridge.config.sources).map(async (name) => {
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
