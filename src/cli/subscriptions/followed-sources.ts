import { loadConfig } from '../../bridge/config/load-config.ts';
import { openStored } from '../../bridge/stored-bridge.ts';
import { followedView } from '../../core/following/followed-source.ts';
import { listFollowed } from '../../store/following/followed-sources.ts';
import { followedSentence } from '../status/followed-sentence.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import type { SubscriptionFlags } from './list-subscriptions.ts';

/** Which Sources are followed, and whether their hubs tell of changes. */
export async function followedSourcesCommand(flags: SubscriptionFlags, io: CommandIo): Promise<number> {
  const bridge = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  try {
    const all = await listFollowed(bridge.database.reader);
    for (const one of all) printResult(io, flags.json, followedView(one), followedSentence(one));
    if (all.length === 0 && !flags.json)
      io.stdout.write('no Source is followed; rsbridge sources add URL adds one of ResourceSync\n');
    return exitCodes.ok;
  } finally {
    await bridge.close();
  }
}
