import { loadConfig } from '../../bridge/config/load-config.ts';
import { askNow } from '../../bridge/sources/source-acts.ts';
import { openStored } from '../../bridge/stored-bridge.ts';
import { BridgeError } from '../../core/errors.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { findCause } from '../../store/runs/unreadable-causes.ts';
import { findSource } from '../../store/sources/sources.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { sayWhereNobodyServes } from '../terminal/nobody-serves.ts';
import { printable } from '../terminal/terminal-text.ts';
import { unknownCause } from './problems-command.ts';

export interface TryAgainFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly item?: string;
  /** The id of a cause. */
  readonly cause?: string;
}

/** Has the processes that work at this database read records again: one, those of a cause, or all that could not be read. */
export async function tryAgain(
  source: string | undefined,
  { item, cause, ...flags }: TryAgainFlags,
  io: CommandIo,
): Promise<number> {
  if (source === undefined)
    throw new BridgeError('usage', '--try-again is of one source: rsbridge problems SOURCE --try-again');
  const bridge = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  try {
    const { reader } = bridge.database;
    const stored = await findSource(reader, source);
    const of = stored && cause !== undefined ? await findCause(reader, stored.id, cause) : undefined;
    if (cause !== undefined && of === undefined) throw unknownCause(source);
    const kind = item === undefined ? 'problems' : 'item';
    const [task] = await askNow(bridge, [source], { kind, what: [item ?? of] }, actor());
    const which =
      item ??
      (of === undefined ? 'all records that could not be read' : `all records with the cause "${of}"`);
    const text = `${source}: ${printable(which)}: asked for again; task ${task} (the dashboard: /admin/tasks/${task})`;
    printResult(io, flags.json, { source, asked: kind, task }, text);
    await sayWhereNobodyServes(io, reader, await lookAtClock(bridge.database));
    return exitCodes.ok;
  } finally {
    await bridge.close();
  }
}
