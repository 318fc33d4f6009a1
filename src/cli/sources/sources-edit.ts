import { changedSettings, type TypedSetting } from '../../bridge/sources/changed-settings.ts';
import { changeKept, removeKept } from '../../bridge/sources/kept-source-acts.ts';
import { pauseNow, resumeNow, stopNow } from '../../bridge/sources/source-acts.ts';
import { BridgeError } from '../../core/errors.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { withBridge } from '../terminal/with-bridge.ts';
import type { SourcesFlags } from './sources-list.ts';

export interface EditFlags extends SourcesFlags {
  readonly set?: readonly TypedSetting[];
  readonly unset?: readonly (readonly string[])[];
}

/** Changes settings of a source of the database; what would not be a source any more changes nothing. */
export async function editSource(name: string, flags: EditFlags, io: CommandIo): Promise<number> {
  const { set = [], unset = [] } = flags;
  if (set.length + unset.length === 0)
    throw new BridgeError('usage', 'say what is to change: --set KEY=VALUE, --unset KEY');
  return withBridge(flags, io, 'nothing', async (bridge) => {
    const change = (before: Readonly<Record<string, unknown>>) => changedSettings(before, set, unset);
    const settings = await changeKept(bridge, name, change, actor());
    printResult(
      io,
      flags.json,
      { name, settings },
      `${name}: changed; rsbridge serve works by it within 10 seconds`,
    );
    return exitCodes.ok;
  });
}

/** Takes a source out of the database's configuration. What was harvested stays stored, and is not served. */
export async function removeSource(name: string, flags: SourcesFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    await removeKept(bridge, name, actor());
    printResult(
      io,
      flags.json,
      { name, removed: true },
      `${name} is neither read nor served any more; what is stored of it stays, and those who follow it are not told that it is gone, until: rsbridge remove ${name}`,
    );
    return exitCodes.ok;
  });
}

export interface PauseFlags extends SourcesFlags {
  readonly until?: string;
  readonly why?: string;
}

/** Has sources left alone, whatever their schedules say; a harvest under way ends after its page. */
export async function pauseCommand(
  names: readonly string[],
  flags: PauseFlags,
  io: CommandIo,
): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    const pauses = await pauseNow(bridge, names, { until: flags.until, reason: flags.why }, actor());
    for (const { source, until } of pauses) {
      const end = until === undefined ? `; rsbridge sources resume ${source} ends that` : ` until ${until}`;
      printResult(
        io,
        flags.json,
        { name: source, paused: true, until, reason: flags.why },
        `${source} is paused${end}`,
      );
    }
    return exitCodes.ok;
  });
}

export async function resumeCommand(
  names: readonly string[],
  flags: SourcesFlags,
  io: CommandIo,
): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    const sources = bridge.sources(names).map(({ name }) => name);
    const resumed = await resumeNow(bridge, sources, actor());
    for (const name of sources) {
      const text = resumed.has(name) ? `${name} is read again` : `${name} was not paused`;
      printResult(io, flags.json, { name, resumed: resumed.has(name) }, text);
    }
    return exitCodes.ok;
  });
}

/** Ends what is under way with sources after its page, whichever process does it; they are read again at their next turn. */
export async function stopCommand(
  names: readonly string[],
  flags: SourcesFlags,
  io: CommandIo,
): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    const sources = bridge.sources(names).map(({ name }) => name);
    const stopped = new Set(await stopNow(bridge, sources, actor()));
    for (const name of sources) {
      const text = stopped.has(name)
        ? `${name}: what is under way ends after its page; it is read again at its next turn`
        : `${name}: no running rsbridge serve reads it; it is read again at its next turn`;
      printResult(io, flags.json, { name, stopped: stopped.has(name) }, text);
    }
    return exitCodes.ok;
  });
}
