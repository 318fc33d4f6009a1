import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../core/config/config.ts';
import { eitherOf } from '../core/either-signal.ts';
import type { ServerDeps } from '../server/deps.ts';
import type { DueWork } from '../store/runs/due.ts';
import type { JournalState } from '../store/sources/journal.ts';
import { alertNow } from './alerts/alerting.ts';
import { watchDatabase } from './alerts/database-away.ts';
import { type Front, listenAlone } from './answering.ts';
import type { Bridge } from './bridge.ts';
import { startFollowing } from './following/keeping.ts';
import { createAnnouncer } from './notifications/announcing.ts';
import { reportKind, startReporting } from './notifications/reporting.ts';
import { startJointOrdering } from './oai/joint-ordering.ts';
import { startOrdering } from './oai/ordering.ts';
import { startPush } from './push/push.ts';
import { removeDue } from './removal.ts';
import { startDescribing } from './search/describing.ts';
import type { Signals } from './signals.ts';
import { askAgain } from './sources/ask-again.ts';
import type { SourceChanges } from './stored-bridge.ts';
import { watchPrivateSets } from './withdrawals/private-sets.ts';
import type { Ending, WorkSignals } from './work/due-runner.ts';
import { startDueWork } from './work/due-work.ts';
import { fillBehind } from './work/filling.ts';
import { watchDamage } from './work/mending.ts';
import { type PublishLoop, startPublishLoop } from './work/publish-loop.ts';
import { watchRefusals } from './work/refusals.ts';
import { createSourceWork, type HarvestMode, type SourceWork } from './work/source-work.ts';

/** The living bridge: harvests and publishes what is due, and serves. */
export interface Service {
  /** Where it really listens. */
  readonly address: AddressInfo;
  /** Harvests a source, unless another process works on it; its failures are logged and shown, not thrown. */
  harvestNow(source: string, options: HarvestMode): Promise<void>;
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

/** For a service that is more than itself. */
export interface ServiceHooks extends Pick<ServerDeps, 'admit'> {
  /** Instead of a harvest at its time, which it may run. */
  readonly harvestWhenDue?: (harvest: () => Promise<Ending>) => Promise<Ending>;
  /** Instead of answering in this process. */
  readonly listen?: () => Promise<Front>;
  /** Sources that were never read to the end do not wait for their schedules. */
  readonly newcomers?: boolean;
}

/** @throws BridgeError `port-in-use` */
export async function startService(
  bridge: Bridge,
  address: { host: string; port: number },
  { stop, abort }: Pick<Signals, 'stop' | 'abort'>,
  hooks: ServiceHooks = {},
): Promise<Service> {
  const front = await (hooks.listen ?? (() => listenAlone(bridge, address, { admit: hooks.admit })))();
  const work = createSourceWork(bridge, { stop, signal: abort });
  const { followFiles } = work;
  let harvests = 0;
  const counted = async <Result>(harvest: () => Promise<Result>): Promise<Result> => {
    harvests += 1;
    try {
      return await harvest();
    } finally {
      harvests -= 1;
    }
  };
  const due = startDueWork(bridge, {
    newcomers: hooks.newcomers === true,
    perform: (what, signals) => {
      const begin = () => perform({ bridge, work, loop }, what, signals);
      const isHarvest = what.kind === 'harvest' || what.kind === 'full';
      if (!isHarvest) return begin();
      return counted(() => (hooks.harvestWhenDue ? hooks.harvestWhenDue(begin) : begin()));
    },
  });
  const loop = startPublishLoop(bridge, abort, () => due.isPublisher());
  const privacy = watchPrivateSets(bridge, stop, { isOurs: () => due.isPublisher(), renew: loop.renew });
  const refusals = watchRefusals(bridge, followFiles, stop);
  const damage = watchDamage(bridge, followFiles, stop);
  const describing = startDescribing(bridge, stop, {
    isOurs: () => due.isPublisher(),
    isHarvesting: () => harvests > 0,
  });
  const ordering = startOrdering(bridge, stop, () => due.isPublisher());
  const jointOrdering = startJointOrdering(bridge, stop, () => due.isPublisher());
  const push = startPush(bridge, stop, {
    isOurs: () => due.isPublisher(),
    senders: (callbacks) => ({ [reportKind]: createAnnouncer(bridge, callbacks) }),
  });
  const reporting = startReporting(bridge, stop, () => due.isPublisher());
  const following = startFollowing(bridge, stop, () => due.isPublisher());
  const databaseWatch = watchDatabase(bridge, stop);
  const filling = new AbortController();
  const filled = fillBehind(bridge, eitherOf(stop, filling.signal));
  return {
    address: front.address,
    harvestNow: (source, mode) => counted(() => work.harvestNow(source, mode)),
    followFiles,
    renewLists: () => loop.renew(bridge.sets()),
    replaceSources: async (next) => {
      const changes = await bridge.replaceSources(next);
      for (const name of [...changes.removed, ...changes.paused]) work.leave(name);
      due.follow(bridge.config);
      await askAgain(
        bridge,
        changes.changed.map(({ name }) => name),
      );
      loop.follow(bridge.sets());
      return changes;
    },
    isPublished: loop.isLevel,
    close: async () => {
      filling.abort();
      // Whoever waits for a list of the past would keep the server open for as long.
      const ends = [
        due.stop(),
        loop.stop(),
        privacy.stop(),
        refusals.stop(),
        damage.stop(),
        databaseWatch.stop(),
        following.stop(),
        describing.stop(),
        ordering.stop(),
        jointOrdering.stop(),
        push.stop(),
        reporting.stop(),
        bridge.listsInTime.close(),
        filled,
      ];
      await Promise.all([...ends, work.end(), front.close()]);
      await work.end();
    },
  };
}

interface Workers {
  readonly bridge: Bridge;
  readonly work: SourceWork;
  readonly loop: PublishLoop;
}

/** Does what is due. */
async function perform(
  { bridge, work, loop }: Workers,
  { source, kind }: DueWork,
  signals: WorkSignals,
): Promise<Ending> {
  switch (kind) {
    case 'harvest':
      return work.harvestDue(source, 'incremental', signals);
    case 'full':
      return work.harvestDue(source, 'full', signals);
    case 'identifiers':
      return work.compareDue(source, signals);
    case 'asked':
      return work.answerAsked(source, signals);
    case 'removal':
    case 'removal-at-once':
      return removeDue(bridge, source, { atOnce: kind === 'removal-at-once', signal: signals.stop });
    case 'alerts':
      await alertNow(bridge, signals.stop);
      return signals.stop.aborted ? 'put-off' : 'done';
    case 'retention':
      return work.retainAll(signals);
    case 'lists':
      loop.renew(bridge.sets());
      return untilRenewed(loop, signals.stop);
    case 'dumps':
      loop.renewDumps(bridge.sets());
      return untilRenewed(loop, signals.stop);
    case 'publication':
      // The loop asks whether it is ours; it stays so until somebody else has it.
      await new Promise<void>((resolve) => {
        if (signals.stop.aborted) resolve();
        else signals.stop.addEventListener('abort', () => resolve(), { once: true });
      });
      return 'put-off';
  }
}

const lookEveryMs = 500;

/** Should this process die before, the next one begins anew. */
async function untilRenewed(loop: PublishLoop, stop: AbortSignal): Promise<Ending> {
  while (!stop.aborted && !loop.isRenewed())
    await pause(lookEveryMs, undefined, { signal: stop }).catch(() => undefined);
  return stop.aborted ? 'put-off' : 'done';
}
