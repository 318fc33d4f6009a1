import { loadConfig } from '../../bridge/config/load-config.ts';
import { trySubscription } from '../../bridge/push/subscription-acts.ts';
import { openStored } from '../../bridge/stored-bridge.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import type { SubscriptionFlags } from './list-subscriptions.ts';

/** Something is sent there now. */
export async function testSubscriptionCommand(
  id: number,
  flags: SubscriptionFlags,
  io: CommandIo,
): Promise<number> {
  const bridge = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  try {
    const tried = await trySubscription(bridge, id, actor());
    const text = tried.delivered ? 'it took what was sent' : `it did not take what was sent: ${tried.reason}`;
    printResult(io, flags.json, { id, ...tried }, text);
    return tried.delivered ? exitCodes.ok : exitCodes.upstream;
  } finally {
    await bridge.close();
  }
}
