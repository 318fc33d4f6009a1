import { explain } from '../../bridge/finding/explain.ts';
import { findAny, nameFrom, reachOf } from '../../bridge/finding/find-any.ts';
import { foundSettings, withFound } from '../../bridge/finding/found-settings.ts';
import { probePlaces } from '../../bridge/finding/probe-places.ts';
import type { Protocol } from '../../bridge/protocols.ts';
import { changedSettings, type TypedSetting } from '../../bridge/sources/changed-settings.ts';
import { addKept, refuseUnusable } from '../../bridge/sources/kept-source-acts.ts';
import { freeName, refuseKnown, refuseTaken } from '../../bridge/sources/new-source.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface AddFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly name?: string;
  readonly group?: string;
  readonly adapter?: Protocol;
  readonly set?: readonly TypedSetting[];
  readonly dryRun: boolean;
  readonly verbose: boolean;
}

/** Finds what can be harvested behind an address, and keeps it in the database as a source. */
export async function addSource(address: string, flags: AddFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    const { config } = bridge;
    if (flags.name !== undefined) refuseTaken(bridge, flags.name);
    const { contact } = config;
    const places = probePlaces(bridge, address, flags.group);
    const group = flags.group === undefined ? {} : { group: flags.group };
    const said = changedSettings(group, flags.set ?? []);
    const found = await findAny(address, {
      ...flags,
      telling: flags.verbose ? 'all' : 'usual',
      contact,
      places,
      reach: reachOf(config, said),
      signal: io.abort,
    });
    refuseKnown(bridge, found.url);
    const name = flags.name ?? freeName(nameFrom(found.url), new Set(Object.keys(config.sources)));
    const settings = withFound(said, foundSettings(found), config.groups);
    if (flags.dryRun) refuseUnusable({ name, settings }, bridge);
    else await addKept(bridge, { name, settings }, actor());
    const next = flags.dryRun
      ? 'dry run: nothing was kept'
      : `rsbridge serve begins to read it within 10 seconds; without it, rsbridge harvest ${name}`;
    const text = [
      `${name}: ${found.info.name}, ${found.info.protocol} ${found.info.protocolVersion} at ${found.url}`,
      ...explain(found, (adapter) => `rsbridge sources add ${address} --adapter ${adapter}`),
      next,
    ].join('\n');
    const { dryRun } = flags;
    printResult(io, flags.json, { ...(dryRun ? { dryRun } : {}), name, settings, info: found.info }, text);
    return exitCodes.ok;
  });
}
