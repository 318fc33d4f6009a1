import type { Bridge } from '../../bridge/bridge.ts';
import { BridgeError } from '../../core/errors.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';
import { harvestItem, type ItemReport } from '../../harvest/items/one-item.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { printable } from '../terminal/terminal-text.ts';

/**
 * `rsbridge harvest SOURCE --item ID`, one after the other.
 * @throws BridgeError of the first that could not be read
 */
export async function harvestItems(
  bridge: Bridge,
  source: HarvestSource,
  identifiers: readonly string[],
  json: boolean,
  io: CommandIo,
): Promise<number> {
  let exitCode: number = exitCodes.ok;
  for (const identifier of identifiers) {
    if (io.stop.aborted) return exitCodes.interrupted;
    const report = await harvestItem(bridge, source, identifier, { stop: io.stop, signal: io.abort });
    if (report.outcome === 'unknown')
      throw new BridgeError(
        'unknown-item',
        `the repository does not have ${printable(identifier)}, and nothing of it is published`,
      );
    if (report.outcome === 'other')
      throw new BridgeError(
        'upstream-protocol',
        `asked for ${printable(identifier)}, the repository gives another item`,
      );
    printResult(io, json, report, describe(report));
    if (report.outcome === 'unlisted') exitCode = exitCodes.needsAttention;
  }
  return exitCode;
}

function describe({ source, item, outcome, created, updated, deleted }: ItemReport): string {
  const name = `${source}: ${printable(item)}`;
  const counts = `${created} created, ${updated} updated, ${deleted} deleted`;
  switch (outcome) {
    case 'stored':
      return created + updated + deleted === 0
        ? `${name} was read; nothing has changed`
        : `${name} was read: ${counts}`;
    case 'gone':
      return deleted === 0
        ? `${name} is gone: the repository does not have it, or not publicly; nothing of it was published`
        : `${name} is gone: the repository does not have it, or not publicly; ${counts}`;
    default:
      return `${name} is there, but only the repository's lists say whether it is public; nothing was changed: rsbridge harvest ${source} --full`;
  }
}
