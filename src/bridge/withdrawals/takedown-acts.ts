import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../../core/errors.ts';
import type { TakedownActs } from '../../server/deps.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import { listLatestWithdrawals } from '../../store/removal/withdrawals.ts';
import type { Bridge } from '../bridge.ts';
import { askNow } from '../sources/source-acts.ts';
import { endWithdrawals, planRestoration } from './restore.ts';
import { planWithdrawal, removeWithdrawnBytes, takeDown, uriOf } from './withdraw.ts';

/** A page waits no longer than this for bytes to go; they go on going. */
const patienceMs = 5_000;

/** What `rsbridge withdraw` and `rsbridge restore` do, for the dashboard and the API. */
export interface OwnTakedownActs extends TakedownActs {
  /** Resolves when nothing goes on in the background; bytes that are left go with the next round of a process that works. */
  close(): Promise<void>;
}

export function createTakedownActs(bridge: Bridge): OwnTakedownActs {
  const { database, config, log } = bridge;
  const ended = new AbortController();
  const { signal } = ended;
  const removals = new Set<Promise<number | undefined>>();

  function removeBytes(): Promise<number | undefined> {
    const removal: Promise<number | undefined> = removeWithdrawnBytes(bridge, signal)
      .catch((error: unknown) => {
        if (!signal.aborted)
          log.error(
            { ...failure(error) },
            'bytes of what was withdrawn are still there; the next round removes them',
          );
        return undefined;
      })
      .finally(() => removals.delete(removal));
    removals.add(removal);
    return removal;
  }

  return {
    list: async (page) => {
      const withdrawals = await listLatestWithdrawals(primaryOf(database), page);
      return withdrawals.map((one) => ({ ...one, uri: uriOf(bridge, one) }));
    },
    plan: async (what) => shown(await planWithdrawal(bridge, what)),
    withdraw: async (what, reason, by) => {
      const plan = await planWithdrawal(bridge, what);
      // Whoever works on a source sees to it within a minute.
      const { busy } = await takeDown(bridge, plan, { reason, by }, { attempts: 5, stop: signal, signal });
      const contentsRemoved = await Promise.race([
        removeBytes(),
        sleep(patienceMs, undefined, { ref: false }),
      ]);
      return { ...shown(plan), announced: busy.length === 0, contentsRemoved };
    },
    restore: async (what, by) => {
      const plan = await planRestoration(bridge, what);
      const items = await endWithdrawals(bridge, plan, by);
      const tasks: number[] = [];
      // Of a source that is read no more nothing can be asked for.
      for (const { source, identifier } of items)
        if (Object.hasOwn(config.sources, source))
          tasks.push(...(await askNow(bridge, [source], { kind: 'restore', what: [identifier] }, by)));
      return { restored: plan.uris, tasks };
    },
    close: async () => {
      ended.abort();
      await Promise.all(removals);
    },
  };
}

function shown({ target, uri, resources }: Awaited<ReturnType<typeof planWithdrawal>>) {
  const { source, identifier } = target;
  return { uri, source, identifier, resources };
}
