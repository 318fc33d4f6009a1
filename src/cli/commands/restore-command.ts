import { resolve } from 'node:path';
import type { Bridge } from '../../bridge/bridge.ts';
import { endWithdrawals, planRestoration, type RestorationPlan } from '../../bridge/withdrawals/restore.ts';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import { say } from '../../core/reasons/reason.ts';
import { type ReadAgain, readAgain } from '../../harvest/items/restored-item.ts';
import type { Target } from '../../store/removal/withdrawal.ts';
import { forgetSelection } from '../../store/sources/sources.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface RestoreFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly dryRun: boolean;
}

/** Takes back what `rsbridge withdraw` did, and publishes it as the repository has it now. */
export async function restoreCommand(text: string, flags: RestoreFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'warnings', async (bridge) => {
    const plan = await planned(bridge, text, io.cwd);
    const { target, ended, uris } = plan;
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
    const items = await endWithdrawals(bridge, plan, actor());
    const outcomes: Outcome[] = [];
    for (const one of items) outcomes.push({ target: one, outcome: await read(bridge, one, io) });
    const told = outcomes.filter((one) => !isElsewhere(one, outcomes));
    printResult(
      io,
      flags.json,
      {
        ...said,
        ...toJson(told.map(({ outcome }) => outcome)),
        sources: [...new Set(ended.map(({ source }) => source))],
      },
      [
        `${uris.join(', ')} ${uris.length === 1 ? 'is' : 'are'} no longer withdrawn`,
        ...told.map(({ target: one, outcome }) => describe(one, outcome)),
      ].join('\n'),
    );
    return exitCodes.ok;
  });
}

/**
 * What is not a file here may have been meant as one.
 * @throws BridgeError `unknown-resource`, `not-withdrawn`
 */
async function planned(bridge: Bridge, text: string, cwd: string): Promise<RestorationPlan> {
  try {
    return await planRestoration(bridge, text);
  } catch (error) {
    if (!isBridgeError(error, 'unknown-resource') || /^https?:/i.test(text)) throw error;
    const message = `there is no backup ${resolve(cwd, text)}, and ${error.message}`;
    throw new BridgeError('unknown-resource', message, { cause: error });
  }
}

interface Outcome {
  readonly target: Target;
  readonly outcome: ReadAgain;
}

/** Of a source and its private sets one has the item. */
function isElsewhere({ target, outcome }: Outcome, all: readonly Outcome[]): boolean {
  const { identifier } = target;
  return (
    outcome === 'unknown' &&
    all.some((one) => one.target.identifier === identifier && one.outcome === 'published')
  );
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
    return `${source} has delivered the item, and ${say('restored-published', {})}`;
  if (outcome === 'unknown')
    return `${source} does not have the item ${identifier} any more, or shows it not to everybody, or as a version of another one: it stays deleted until it does`;
  return `the item could not be asked for now (${outcome.failed}); the next harvest of ${source} reads everything, and publishes it again`;
}
