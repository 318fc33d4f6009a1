import type { Bridge } from '../../bridge/bridge.ts';
import { toMilliseconds } from '../../core/datetime.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';
import { placeOfSource } from '../../harvest/http/host-gate.ts';
import { listRestingHosts } from '../../store/hosts/host-news.ts';
import { listTurnHolders } from '../../store/hosts/turns.ts';
import { placeOf } from '../../store/presence/processes.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { Finding } from './finding.ts';

/** Its server has not answered for another source: the answer would take as long, and be the same. */
export function silentServer({ name, config }: HarvestSource, other: string): Finding {
  const message = `not asked: ${new URL(config.url).host} has not answered for ${other}`;
  const mend = `rsbridge init '${config.url}' --dry-run --verbose`;
  return { check: `source ${name}`, ok: false, message, exitCode: exitCodes.upstream, mend };
}

/** Where its server is to be left alone for longer than somebody waits here. */
export async function findRest(
  { database }: Bridge,
  { name, config }: HarvestSource,
  waitMs: number,
): Promise<Finding | undefined> {
  const place = placeOfSource(config);
  const rest = (await listRestingHosts(database.reader)).find(({ host }) => host === place);
  if (rest === undefined || toMilliseconds(rest.until) - Date.now() + database.aheadMs < waitMs)
    return undefined;
  const why = rest.reason === undefined ? '' : ` (${rest.reason})`;
  return notAsked(name, `not asked: nothing is asked of ${place} until ${rest.until}${why}`);
}

/** Other processes at this database have had their turn there all the time. */
export async function describeTurn(
  { database }: Bridge,
  { name, config }: HarvestSource,
  seconds: number,
): Promise<Finding> {
  const place = placeOfSource(config);
  const [turn] = await listTurnHolders(database.reader, place);
  const { host: machine, pid } = placeOf(turn?.holder ?? '');
  const who =
    turn === undefined
      ? ''
      : `; process ${pid} on ${machine} has it until ${turn.until}, and longer as long as it lives and asks`;
  return notAsked(name, `not asked: its turn at ${place} did not come within ${seconds} seconds${who}`);
}

/** The others there would wait as long. */
export function withoutTurn({ name, config }: HarvestSource, other: string): Finding {
  return notAsked(name, `not asked: the turn at ${placeOfSource(config)} did not come for ${other}`);
}

function notAsked(name: string, message: string): Finding {
  const mend = `rsbridge status ${name}`;
  return {
    check: `source ${name}`,
    ok: false,
    notAsked: true,
    message,
    exitCode: exitCodes.needsAttention,
    mend,
  };
}
