import type { AddressInfo } from 'node:net';
import type { Config } from '../core/config/config.ts';
import { eitherOf } from '../core/either-signal.ts';
import { failure, isBridgeError } from '../core/errors.ts';
import type { HarvestSource, RunSignals } from '../harvest/harvest-source.ts';
import { createHostGate, type HostGate } from '../harvest/http/host-gate.ts';
import { identifierPass } from '../harvest/identifiers/identifier-pass.ts';
import { retainNow } from '../harvest/run/retain-now.ts';
import { createScheduler, type Scheduler } from '../harvest/scheduler.ts';
import { thoroughHarvest } from '../harvest/thorough-harvest.ts';
import type { ServerDeps } from '../server/deps.ts';
import type { JournalState } from '../store/sources/journal.ts';
import { type Front, listenAlone } from './answering.ts';
import { type Bridge, harvestsAtOnce } from './bridge.ts';
import type { Signals } from './signals.ts';
import type { SourceChanges } from './stored-bridge.ts';
import { lookAtMirror, workOnFiles } from './work/file-work.ts';
import { fillBehind } from './work/filling.ts';
import { createHarvestSchedule } from './work/harvest-schedule.ts';
import { watchDamage } from './work/mending.ts';
import { type PublishLoop, startPublishLoop } from './work/publish-loop.ts';
import { watchRefusals } from './work/refusals.ts';
import { removeBytes } from './work/retention.ts';

/** The living bridge: harvests and publishes on schedule, and serves. */
export interface Service {
  /** Where it really listens. */
  readonly address: AddressInfo;
  /** Harvests a source, unless another process works on it; its failures are logged and shown, not thrown. */
  harvestNow: HarvestNow;
  /** Asks for files that are due, looks for and downloads them; need not be waited for, and fails for nobody. */
  followFiles(source: string): Promise<void>;
  /** New Resource Lists of all sets with the next round, however lately they were written. */
  renewLists(): void;
  /** Works by another configuration of the sources from now on; what is under way with one that is gone ends soon. */
  replaceSources(next: Config): Promise<SourceChanges>;
  /** Whether all that is in the journal is in the lists of the source's sets. */
  isPublished(source: string, journal: JournalState): boolean;
  /** Finishes the pages and responses under way. */
  close(): Promise<void>;
}

const fileWorksAtOnce = 4;
/** Before the documents of the night are rendered. */
const retentionSchedule = '10 1 * * *';

/** For a service that is more than itself. */
export interface ServiceHooks extends Pick<ServerDeps, 'admit'> {
  /** Instead of a harvest at its time, which it may run. */
  readonly harvestWhenDue?: (harvest: () => Promise<void>) => Promise<void>;
  /** Instead of answering in this process. */
  readonly listen?: () => Promise<Front>;
}

export type HarvestNow = (
  source: string,
  options: { mode: 'full' | 'incremental'; withoutFuse?: boolean },
) => Promise<void>;

/** @throws BridgeError `port-in-use` */
export async function startService(
  bridge: Bridge,
  address: { host: string; port: number },
  { stop, abort }: Pick<Signals, 'stop' | 'abort'>,
  hooks: ServiceHooks = {},
): Promise<Service> {
  const { log, config } = bridge;
  const scheduler = createScheduler(log);
  const harvests = createHarvestSchedule(log, {
    harvest: (name, options) => whenDue(name, options),
    compare: (name) => compareNow(name),
  });
  const listenHere = () => listenAlone(bridge, address, { nextRun: harvests.nextRun, admit: hooks.admit });
  const front = await (hooks.listen ?? listenHere)();
  const loop = startPublishLoop(bridge, abort);
  const places = createHostGate();
  /** Of a source that is paused nothing is asked, unless a reader wants a file. */
  const isRead = (name: string) => Object.hasOwn(config.sources, name) && bridge.pauseOf(name) === undefined;
  /** Of each source that is worked on: told when it is not to be read any more. */
  const leaving = new Map<string, AbortController>();
  const signalsOf = (name: string): RunSignals => {
    const gone = leaving.get(name) ?? new AbortController();
    leaving.set(name, gone);
    return { stop: eitherOf(stop, gone.signal), signal: abort };
  };
  const inTurn = async (
    name: string,
    work: (source: HarvestSource, signals: RunSignals) => Promise<unknown>,
  ): Promise<void> => {
    const leave: (() => void)[] = [];
    try {
      // What is due at the same minute, as the schedules are by default, comes one after the other.
      leave.push(await places.enter(`source ${name}`, 1, stop));
      leave.push(await places.enter('harvests', harvestsAtOnce, stop));
      if (isRead(name)) await work(bridge.source(name), signalsOf(name));
    } catch (error) {
      // Another process works on it; the run itself logged everything else.
      const expected = isBridgeError(error, 'lease-held') || stop.aborted || !isRead(name);
      log[expected ? 'debug' : 'error']({ source: name, ...failure(error) }, 'harvest failed');
    } finally {
      for (const go of leave) go();
    }
  };
  const fileWorks = new Set<Promise<void>>();
  const inBackground = (begun: Promise<void>): Promise<void> => {
    const work = begun.finally(() => fileWorks.delete(work));
    fileWorks.add(work);
    return work;
  };
  const followFiles = (name: string) =>
    isRead(name) ? inBackground(startFileWork(bridge, name, signalsOf(name), places)) : Promise.resolve();
  const refusals = watchRefusals(bridge, followFiles, stop);
  const damage = watchDamage(bridge, followFiles, stop);
  const harvestNow: HarvestNow = async (name, options) => {
    await inTurn(name, (source, signals) => thoroughHarvest(bridge, source, { ...options, ...signals }));
    const isLooked = options.mode === 'full' && !stop.aborted && isRead(name);
    const look = isLooked ? lookAtLengths(bridge, name, stop) : Promise.resolve();
    void inBackground(look.then(() => followFiles(name)));
  };
  const compareNow = (name: string) =>
    inTurn(name, async (source, signals) => {
      const report = await identifierPass(bridge, source, signals);
      if ('skipped' in report) log.debug({ source: name, reason: report.skipped }, 'identifiers not listed');
    });
  const whenDue: HarvestNow = (name, options) => {
    const harvest = () => harvestNow(name, options);
    return hooks.harvestWhenDue?.(harvest) ?? harvest();
  };
  harvests.follow(config);
  addRenewals(scheduler, bridge, loop);
  scheduler.add({
    name: 'retention',
    cron: retentionSchedule,
    run: async () => {
      for (const name of Object.keys(config.sources))
        await inTurn(name, (source) => retainNow(bridge, source, stop));
      await removeBytes(bridge, stop);
    },
  });
  scheduler.start();
  const filling = new AbortController();
  const filled = fillBehind(bridge, eitherOf(stop, filling.signal));
  return {
    address: front.address,
    harvestNow,
    followFiles,
    renewLists: () => loop.renew(bridge.sets()),
    replaceSources: async (next) => {
      const changes = await bridge.replaceSources(next);
      for (const name of [...changes.removed, ...changes.paused]) {
        leaving.get(name)?.abort(new Error(`${name} is not to be read now`));
        leaving.delete(name);
      }
      harvests.follow(config);
      loop.follow(bridge.sets());
      return changes;
    },
    isPublished: loop.isLevel,
    close: async () => {
      filling.abort();
      // Whoever waits for a list of the past would keep the server open for as long.
      const work = [
        scheduler.stop(),
        harvests.stop(),
        loop.stop(),
        refusals.stop(),
        damage.stop(),
        bridge.listsInTime.close(),
        filled,
      ];
      await Promise.all([...work, ...fileWorks, front.close()]);
      // Begun by a harvest that has just ended.
      await Promise.all(fileWorks);
    },
  };
}

/** What a mirror has lost since the last full pass is downloaded again. */
async function lookAtLengths(bridge: Bridge, name: string, stop: AbortSignal): Promise<void> {
  try {
    const damaged = await lookAtMirror(bridge, name, 'lengths', stop);
    if (damaged > 0) bridge.log.warn({ source: name, damaged }, 'mirrored files are missing or damaged');
  } catch (error) {
    if (!stop.aborted) bridge.log.error({ source: name, ...failure(error) }, 'mirrored files not checked');
  }
}

/** Beside harvests: downloads may take days. What is under way when the process ends is continued. */
async function startFileWork(
  bridge: Bridge,
  name: string,
  signals: RunSignals,
  places: HostGate,
): Promise<void> {
  const leave: (() => void)[] = [];
  try {
    leave.push(await places.enter(`files of ${name}`, 1, signals.stop));
    leave.push(await places.enter('files', fileWorksAtOnce, signals.stop));
    await workOnFiles(bridge, name, { ...signals, toTheEnd: true });
  } catch (error) {
    if (!signals.stop.aborted) bridge.log.error({ source: name, ...failure(error) }, 'work on files stopped');
  } finally {
    for (const go of leave) go();
  }
}

function addRenewals(scheduler: Scheduler, bridge: Bridge, loop: PublishLoop): void {
  const { resourceListSchedule, resourceDumpSchedule } = bridge.config.publish;
  const add = (name: string, cron: string | false, renew: PublishLoop['renew']) => {
    if (cron !== false) scheduler.add({ name, cron, run: async () => renew(bridge.sets()) });
  };
  add('resource lists', resourceListSchedule, loop.renew);
  add('resource dumps', resourceDumpSchedule, loop.renewDumps);
}
