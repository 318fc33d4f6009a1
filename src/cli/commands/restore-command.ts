import { resolve } from 'node:path';
import type { Bridge } from '../../bridge/bridge.ts';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import { type ReadAgain, readAgain } from '../../harvest/items/restored-item.ts';
import { endWithdrawal, type Target } from '../../store/removal/withdrawals.ts';
import { forgetSelection } from '../../store/sources/sources.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { withBridge } from '../terminal/with-bridge.ts';
import { findWithdrawable, uriOf, withdrawalsOf } from './withdraw-command.ts';

export interface RestoreFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly dryRun: boolean;
}

/** Takes back what `rsbridge withdraw` did, and publishes it as the repository has it now. */
export async function restoreCommand(text: string, flags: RestoreFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'warnings', async (bridge) => {
    const target = await findWithdrawn(bridge, text, io.cwd);
    const ended = await withdrawalsMeant(bridge, target);
    const uris = [...new Set(ended.map((one) => uriOf(bridge, one)))];
    const said = { restored: uris, source: target.source, identifier: target.identifier };
    if (flags.dryRun) {
      printResult(
        io,
        flags.json,
        { dryRun: true, ...said },
        `would restore ${uris.join(', ')} (dry run, nothing changed)`,
      );
      return exitCodes.ok;
    }
    for (const one of ended) await endWithdrawal(bridge.database, one);
    const outcomes: { readonly target: Target; readonly outcome: ReadAgain }[] = [];
    for (const one of itemsOf(ended)) outcomes.push({ target: one, outcome: await read(bridge, one, io) });
    printResult(
      io,
      flags.json,
      {
        ...said,
        ...toJson(outcomes.map(({ outcome }) => outcome)),
        sources: [...new Set(ended.map(({ source }) => source))],
      },
      [
        `${uris.join(', ')} ${uris.length === 1 ? 'is' : 'are'} no longer withdrawn`,
        ...outcomes.map(({ target: one, outcome }) => describe(one, outcome)),
      ].join('\n'),
    );
    return exitCodes.ok;
  });
}

/**
 * What is not a file here may have been meant as one.
 * @throws BridgeError `unknown-resource`
 */
async function findWithdrawn(bridge: Bridge, text: string, cwd: string): Promise<Target> {
  try {
    return await findWithdrawable(bridge, text);
  } catch (error) {
    if (!isBridgeError(error, 'unknown-resource') || /^https?:/i.test(text)) throw error;
    const message = `there is no backup ${resolve(cwd, text)}, and ${error.message}`;
    throw new BridgeError('unknown-resource', message, { cause: error });
  }
}

/** @throws BridgeError `not-withdrawn` */
async function withdrawalsMeant(bridge: Bridge, target: Target): Promise<readonly Target[]> {
  const { source, identifier, path } = target;
  const known = await withdrawalsOf(bridge, target);
  const whole = known.find((one) => one.path === undefined);
  if (path === undefined) {
    if (whole) return [{ source, identifier, path: undefined }];
    const ended: Target[] = [];
    for (const one of known)
      ended.push(...(await withdrawalsOf(bridge, one)).filter((other) => other.path === one.path));
    if (ended.length > 0) return ended;
    throw new BridgeError('not-withdrawn', `nothing of the item ${identifier} is withdrawn`);
  }
  const same = itemsOf(known.filter((one) => one.path === path));
  if (same.length > 0) return same;
  const uri = uriOf(bridge, target);
  if (!whole) throw new BridgeError('not-withdrawn', `${uri} is not withdrawn`);
  const page = uriOf(bridge, { source, identifier, path: undefined });
  throw new BridgeError(
    'not-withdrawn',
    `${uri} is not withdrawn by itself, but with its whole item: rsbridge restore ${page}`,
  );
}

/** Each once. */
function itemsOf(ended: readonly Target[]): readonly Target[] {
  return [...new Map(ended.map((one) => [JSON.stringify([one.source, one.identifier]), one])).values()];
}

/** Of several items what went worst. */
function toJson(outcomes: readonly ReadAgain[]): Readonly<Record<string, string>> {
  const failed = outcomes.find((outcome) => typeof outcome !== 'string');
  if (failed) return { outcome: 'later', ...failed };
  return { outcome: outcomes.includes('unknown') ? 'unknown' : 'published' };
}

async function read(bridge: Bridge, { source, identifier }: Target, io: CommandIo): Promise<ReadAgain> {
  if (!Object.hasOwn(bridge.config.sources, source))
    return { failed: `${source} is not in the configuration` };
  const signals = { stop: io.stop, signal: io.abort };
  const outcome = await readAgain(bridge, bridge.source(source), identifier, signals);
  // What no incremental harvest would deliver, a full one does.
  if (typeof outcome !== 'string') await forgetSelection(bridge.database, source);
  return outcome;
}

function describe({ source, identifier }: Target, outcome: ReadAgain): string {
  if (outcome === 'published')
    return `${source} has delivered the item, and it is published again; files follow when they have been asked for`;
  if (outcome === 'unknown')
    return `${source} does not have the item ${identifier} any more: it stays deleted until it has`;
  return `the item could not be asked for now (${outcome.failed}); the next harvest of ${source} reads everything, and publishes it again`;
}
