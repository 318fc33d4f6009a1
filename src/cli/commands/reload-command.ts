import { reloadNow } from '../../bridge/admin/installation-acts.ts';
import { countOf } from '../../core/count-of.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface ReloadFlags {
  readonly config?: string;
  readonly json: boolean;
}

/** Has every process that serves from this database read its configuration again, if it is one that can be used. */
export async function reloadCommand(flags: ReloadFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    await reloadNow(bridge, actor());
    const sources = Object.keys(bridge.config.sources);
    printResult(
      io,
      flags.json,
      { sources },
      `The configuration can be used: ${countOf(sources.length, 'source')}. Every rsbridge serve at this database reads its own within 10 seconds, and logs what has changed. That is sources, groups and sets; all other settings count once it is started again.`,
    );
    return exitCodes.ok;
  });
}
