import { loadConfig } from '../../bridge/config/load-config.ts';
import { noSourceError } from '../../bridge/config/no-source.ts';
import { askNow } from '../../bridge/sources/source-acts.ts';
import { openStored } from '../../bridge/stored-bridge.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { sayWhereNobodyServes } from '../terminal/nobody-serves.ts';

export interface AskFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly full: boolean;
  readonly identifiers: boolean;
}

/**
 * Has the processes that work at this database read sources now, before all that is due by its schedule, however often
 * they have failed.
 */
export async function askServe(given: readonly string[], flags: AskFlags, io: CommandIo): Promise<number> {
  const bridge = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  try {
    const { config, database, pauseOf } = bridge;
    const known = Object.keys(config.sources);
    if (known.length === 0) throw noSourceError();
    const sources = given.length > 0 ? [...new Set(given)] : known;
    const kind = flags.full ? 'full' : flags.identifiers ? 'identifiers' : 'harvest';
    const tasks = await askNow(bridge, sources, { kind }, actor());
    for (const [index, source] of sources.entries()) {
      const paused = pauseOf(source) !== undefined;
      const text = paused
        ? `${source} is paused, and will be read when that ends: rsbridge sources resume ${source}`
        : `${source} is the next to be read`;
      printResult(io, flags.json, { source, asked: kind, paused, task: tasks[index] }, text);
    }
    await sayWhereNobodyServes(io, database.reader, await lookAtClock(database));
    return exitCodes.ok;
  } finally {
    await bridge.close();
  }
}
