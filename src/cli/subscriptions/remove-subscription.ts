import { loadConfig } from '../../bridge/config/load-config.ts';
import { endSubscription } from '../../bridge/push/subscription-acts.ts';
import { openStored } from '../../bridge/stored-bridge.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import type { SubscriptionFlags } from './list-subscriptions.ts';

export async function removeSubscriptionCommand(
  id: number,
  flags: SubscriptionFlags,
  io: CommandIo,
): Promise<number> {
  const bridge = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  try {
    const { callback, topic } = await endSubscription(bridge, id, actor());
    printResult(io, flags.json, { id, removed: true }, `${callback} is not told of ${topic} any more`);
    return exitCodes.ok;
  } finally {
    await bridge.close();
  }
}
