import { loadConfig } from '../../bridge/config/load-config.ts';
import { listAll } from '../../bridge/push/subscription-acts.ts';
import { openStored } from '../../bridge/stored-bridge.ts';
import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import type { ListedSubscription } from '../../store/push/subscriptions.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';

export interface SubscriptionFlags {
  readonly config?: string | undefined;
  readonly json: boolean;
}

/** Who is told of what, and how that goes. */
export async function listSubscriptionsCommand(flags: SubscriptionFlags, io: CommandIo): Promise<number> {
  const bridge = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  try {
    const all = await listAll(bridge);
    for (const one of all) printResult(io, flags.json, viewOf(one), describe(one));
    if (all.length === 0 && !flags.json)
      io.stdout.write('nobody is told of changes; rsbridge subscriptions add URL --set SET adds a webhook\n');
    return exitCodes.ok;
  } finally {
    await bridge.close();
  }
}

/** Moments as documents have them. */
function viewOf({ createdAt, leaseUntil, dueAt, deliveredAt, failedAt, ...rest }: ListedSubscription) {
  return {
    ...{ ...rest, createdAt: iso(createdAt), leaseUntil: iso(leaseUntil), dueAt: iso(dueAt) },
    ...{ deliveredAt: iso(deliveredAt), failedAt: iso(failedAt) },
  };
}

function describe(one: ListedSubscription): string {
  const { id, kind, topic, callback, label, behind, attempts, reason } = one;
  const name = label === undefined ? '' : ` (${label})`;
  const how =
    attempts > 0
      ? `failed ${countOf(attempts, 'time')}, next at ${iso(one.dueAt)}: ${reason}`
      : one.deliveredAt === undefined
        ? 'nothing was sent yet'
        : `last told ${iso(one.deliveredAt)}`;
  const waiting = behind > 0 ? `, ${countOf(behind, 'notification')} to be sent` : '';
  const lease = one.leaseUntil === undefined ? '' : `, until ${iso(one.leaseUntil)}`;
  return `${id} ${kind} ${topic} → ${callback}${name}: ${how}${waiting}${lease}`;
}

function iso(moment: number | undefined): string | undefined {
  return moment === undefined ? undefined : toIso(new Date(moment));
}
