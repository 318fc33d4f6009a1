import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../../core/errors.ts';
import type { TakedownActs } from '../../server/deps.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import { listWithdrawals } from '../../store/removal/withdrawals.ts';
import { readJournals } from '../../store/sources/journal.ts';
import type { Bridge } from '../bridge.ts';
import { askNow } from '../sources/source-acts.ts';
import { endWithdrawals, planRestoration } from './restore.ts';
import { announceWithdrawal, planWithdrawal, removeWithdrawnBytes, uriOf, withdrawNow } from './withdraw.ts';

/** A page waits no longer than this for bytes to go; they go on going. */
const patienceMs = 5_000;

/** What `rsbridge withdraw` and `rsbridge restore` do, for the dashboard and the API. */
export function createTakedownActs(bridge: Bridge): TakedownActs {
  const { database, config, log } = bridge;
  const { signal } = new AbortController();
  return {
    list: async () => {
      const db = primaryOf(database);
      const sources = [...(await readJournals(db)).keys()];
      const withdrawals = await listWithdrawals(db, sources);
      return withdrawals.map((one) => ({ ...one, uri: uriOf(bridge, one) }));
    },
    plan: async (what) => shown(await planWithdrawal(bridge, what)),
    withdraw: async (what, reason, by) => {
      const plan = await planWithdrawal(bridge, what);
      const sources = await withdrawNow(bridge, plan, reason, by);
      let announced = true;
      // Whoever works on a source sees to it within a minute.
      for (const source of sources)
        announced =
          (await announceWithdrawal(bridge, source, { attempts: 5, stop: signal, signal })) && announced;
      const removing = removeWithdrawnBytes(bridge, signal).catch((error: unknown) => {
        log.error(
          { ...failure(error) },
          'bytes of what was withdrawn are still there; the next round removes them',
        );
        return undefined;
      });
      const contentsRemoved = await Promise.race([removing, sleep(patienceMs, undefined, { ref: false })]);
      return { ...shown(plan), announced, contentsRemoved };
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
  };
}

function shown({ target, uri, resources }: Awaited<ReturnType<typeof planWithdrawal>>) {
  const { source, identifier } = target;
  return { uri, source, identifier, resources };
}
