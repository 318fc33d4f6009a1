import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { BridgeError, describeError, isBridgeError } from '../core/errors.ts';
import { type HarvestSource, harvest } from '../harvest/harvest.ts';
import { createHostGate } from '../harvest/host-gate.ts';
import { createScheduler, type Scheduler } from '../harvest/scheduler.ts';
import { createApp } from '../server/app.ts';
import type { Bridge } from './bridge.ts';
import type { CommandIo } from './io.ts';
import { createOverviews } from './overview.ts';
import { type PublishLoop, startPublishLoop } from './publish-loop.ts';
import { version } from './version.ts';

/** The living bridge: harvests and publishes on schedule, and serves. */
export interface Service {
  /** Where it really listens. */
  readonly address: AddressInfo;
  /** Harvests a source, unless somebody is at it already; its failures are logged and shown, not thrown. */
  harvestNow: HarvestNow;
  /** Finishes the pages and responses under way. */
  close(): Promise<void>;
}

/** Each holds a page or two in memory; the others wait for their turn. */
const maxHarvests = 8;

export type HarvestNow = (
  source: string,
  options: { mode: 'full' | 'incremental'; acceptDeletions?: boolean },
) => Promise<void>;

/** @throws BridgeError `port-in-use` */
export async function startService(
  bridge: Bridge,
  address: { host: string; port: number },
  io: CommandIo,
): Promise<Service> {
  const { log, config } = bridge;
  const scheduler = createScheduler(log);
  const app = createApp({
    database: bridge.database,
    publication: bridge.publication,
    baseUrl: config.baseUrl,
    title: config.title,
    version,
    robots: config.publish.robots,
    clock: bridge.clock,
    log,
    setsOf: (source, title) => bridge.setsOf(source, title),
    sources: createOverviews(bridge, (source) => nextHarvest(scheduler, source)),
  });
  await listen(app, address);
  const loop = startPublishLoop(bridge, io.abort);
  const places = createHostGate();
  const harvestNow: HarvestNow = async (name, options) => {
    let leave: (() => void) | undefined;
    try {
      leave = await places.enter('harvests', maxHarvests, io.stop);
      await harvest(bridge, bridge.source(name), { ...options, stop: io.stop, signal: io.abort });
    } catch (error) {
      // Another process, or the other schedule, is at it; the run itself logged everything else.
      const expected = isBridgeError(error, 'lease-held') || io.stop.aborted;
      log[expected ? 'debug' : 'error']({ source: name, reason: describeError(error) }, 'no harvest');
    } finally {
      leave?.();
    }
  };
  for (const source of bridge.sources()) addHarvests(scheduler, source, harvestNow);
  addRenewals(scheduler, bridge, loop);
  scheduler.start();
  return {
    address: app.server.address() as AddressInfo,
    harvestNow,
    close: async () => {
      await Promise.all([scheduler.stop(), loop.stop()]);
      await app.close();
    },
  };
}

async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await app.close();
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new BridgeError('port-in-use', `port ${port} on ${host} is taken`, { cause });
    if (code === 'EACCES')
      throw new BridgeError('port-in-use', `port ${port} may not be opened by this user`, { cause });
    throw cause;
  }
}

function addHarvests(scheduler: Scheduler, { name, config }: HarvestSource, harvestNow: HarvestNow): void {
  const add = (mode: 'full' | 'incremental', cron: string | false) => {
    if (cron !== false)
      scheduler.add({ name: `${mode} ${name}`, cron, run: () => harvestNow(name, { mode }) });
  };
  add('incremental', config.schedule);
  add('full', config.fullPass);
}

function nextHarvest(scheduler: Scheduler, source: string): Date | undefined {
  const times = [scheduler.nextRun(`incremental ${source}`), scheduler.nextRun(`full ${source}`)];
  return times.filter((time) => time !== undefined).sort((a, b) => a.getTime() - b.getTime())[0];
}

function addRenewals(scheduler: Scheduler, bridge: Bridge, loop: PublishLoop): void {
  const { resourceListSchedule, resourceDumpSchedule } = bridge.config.publish;
  const add = (name: string, cron: string | false, renew: PublishLoop['renew']) => {
    if (cron !== false) scheduler.add({ name, cron, run: async () => renew(bridge.sets()) });
  };
  add('resource lists', resourceListSchedule, loop.renew);
  add('resource dumps', resourceDumpSchedule, loop.renewDumps);
}
