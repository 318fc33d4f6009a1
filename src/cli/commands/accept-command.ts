import type { Bridge } from '../../bridge/bridge.ts';
import { countOf } from '../../core/count-of.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';
import {
  type Acceptance,
  type AcceptanceReport,
  acceptDeletions,
} from '../../harvest/vanished/accept-deletions.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { printable } from '../terminal/terminal-text.ts';
import type { AcceptFlag } from './accept-option.ts';
import { describePass } from './vanished-command.ts';

/** Deletes what was shown, as far as the repository says of each that it is gone. */
export async function acceptOne(
  bridge: Bridge,
  source: HarvestSource,
  flag: AcceptFlag,
  json: boolean,
  io: CommandIo,
  onProgress?: Acceptance['onProgress'],
): Promise<number> {
  const run = flag === true ? undefined : flag;
  const report = await acceptDeletions(bridge, source, {
    ...{ run, stop: io.stop, signal: io.abort, onProgress },
  });
  printResult(io, json, { accepted: report.run ?? null, ...report }, describe(report));
  return report.remaining > 0 ? exitCodes.needsAttention : exitCodes.ok;
}

const named = 10;

function describe(report: AcceptanceReport): string {
  const { source, run, pass, asked, deleted, alive, aliveCount, unclear, unanswered, reason, remaining } =
    report;
  if (pass === undefined) return `${source}: no item is missing from its list; nothing was deleted`;
  const some = alive.slice(0, named).map(printable).join(', ');
  const more = aliveCount > named ? ', …' : '';
  const lines = [
    `${source}: accepted what run ${run} (${describePass(pass)}) did not find: asked for ${countOf(asked, 'item')}, ${deleted} deleted`,
    ...(aliveCount > 0
      ? [`  ${aliveCount} ${aliveCount === 1 ? 'is' : 'are'} still there, and not deleted: ${some}${more}`]
      : []),
    ...(unclear > 0
      ? [
          `  ${countOf(unclear, 'item')} without a clear answer ${unclear === 1 ? 'was' : 'were'} deleted on your word`,
        ]
      : []),
    ...(unanswered > 0
      ? [
          `  ${unanswered} could not be checked, and ${unanswered === 1 ? 'stays' : 'stay'} on the list of missing items (${printable(reason ?? '')})`,
        ]
      : []),
    ...(remaining > 0
      ? [
          `  ${remaining} ${remaining === 1 ? 'is' : 'are'} still missing (rsbridge vanished ${source}); to go on: rsbridge harvest ${source} --accept-deletions ${run}`,
        ]
      : []),
  ];
  return lines.join('\n');
}
