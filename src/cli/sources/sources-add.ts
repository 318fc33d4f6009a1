import type { Bridge } from '../../bridge/bridge.ts';
import type { Protocol } from '../../bridge/protocols.ts';
import { toIso } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import { keepSources } from '../../store/sources/kept-sources.ts';
import { searchLimits } from '../init/init-budget.ts';
import { explain } from '../init/init-explain.ts';
import { findAny, nameFrom } from '../init/init-search.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { withBridge } from '../terminal/with-bridge.ts';
import { changedSettings } from './changed-settings.ts';
import { foundSettings, refuseUnusable, withFound } from './found-settings.ts';
import { probePlaces } from './probe-places.ts';
import type { Setting } from './setting-options.ts';

export interface AddFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly name?: string;
  readonly group?: string;
  readonly adapter?: Protocol;
  readonly set?: readonly Setting[];
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
    const found = await findAny(address, { ...flags, contact }, io, searchLimits, places);
    const known = sourceAt(config.sources, found.url);
    if (known !== undefined)
      throw new BridgeError('usage', `${found.url} is read already, as the source ${known}`);
    const name = flags.name ?? freeName(nameFrom(found.url), new Set(Object.keys(config.sources)));
    refuseTaken(bridge, name);
    const group = flags.group === undefined ? {} : { group: flags.group };
    const said = changedSettings(group, flags.set ?? []);
    const settings = withFound(said, foundSettings(found), config.groups);
    refuseUnusable({ name, settings }, config);
    if (!flags.dryRun) await keepSources(bridge.database, [{ name, settings }], toIso(bridge.clock.now()));
    const next = flags.dryRun
      ? 'dry run: nothing was kept'
      : `rsbridge serve begins to read it within 10 seconds; without it, rsbridge harvest ${name}`;
    const text = [
      `${name}: ${found.info.name}, ${found.info.protocol} ${found.info.protocolVersion} at ${found.url}`,
      ...explain(found, address),
      next,
    ].join('\n');
    const { dryRun } = flags;
    printResult(io, flags.json, { ...(dryRun ? { dryRun } : {}), name, settings, info: found.info }, text);
    return exitCodes.ok;
  });
}

/** @throws BridgeError `usage` */
function refuseTaken({ config }: Bridge, name: string): void {
  if (Object.hasOwn(config.sources, name))
    throw new BridgeError('usage', `there is a source called ${name} already; choose another --name`);
}

/** The source that is read at an address. */
export function sourceAt(sources: Bridge['config']['sources'], url: string): string | undefined {
  return Object.entries(sources).find(([, source]) => source.url === url || source.oai === url)?.[0];
}

/** A name that nobody has: `host`, `host-2`. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}-${number}`;
  return name;
}
