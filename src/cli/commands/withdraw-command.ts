import { setTimeout as sleep } from 'node:timers/promises';
import type { Bridge } from '../../bridge/bridge.ts';
import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import { isAbsolute, itemPath, toUri } from '../../core/uris.ts';
import { fileRules } from '../../harvest/file-rules.ts';
import { instant } from '../../harvest/harvest-source.ts';
import { settle } from '../../store/pages/settle.ts';
import { removeUnreferenced } from '../../store/payloads/unreferenced-blobs.ts';
import { findItem } from '../../store/reading/items.ts';
import {
  enforceWithdrawals,
  findWithdrawals,
  findWithdrawalsAt,
  type Target,
  type Withdrawal,
  withdraw,
} from '../../store/removal/withdrawals.ts';
import { borrowLease, type Lease } from '../../store/runs/leases.ts';
import { findTarget } from '../history/history-target.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface WithdrawFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly reason?: string;
  readonly dryRun: boolean;
}

/** Takes a resource, or a whole item, down: it is published no more, whatever the repository delivers. */
export async function withdrawCommand(text: string, flags: WithdrawFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'warnings', async (bridge) => {
    const target = await findWithdrawable(bridge, text);
    await refuseRepetition(bridge, target);
    const resources = await resourcesOf(bridge, target);
    const uri = uriOf(bridge, target);
    const said = { withdrawn: uri, source: target.source, identifier: target.identifier, resources };
    const what = target.path === undefined ? `the item ${target.identifier}` : uri;
    if (flags.dryRun) {
      const message = `would withdraw ${what}: ${countOf(resources.length, 'resource')} (dry run, nothing changed)`;
      printResult(io, flags.json, { dryRun: true, ...said }, [message, ...resources].join('\n'));
      return exitCodes.ok;
    }
    const now = toIso(bridge.clock.now());
    const sources = await withdraw(bridge.database, target, flags.reason, now);
    const busy: string[] = [];
    for (const source of sources) if (!(await announce(bridge, source, io))) busy.push(source);
    const announced = busy.length === 0;
    const removed = await removeBytes(bridge, io);
    const sentences = [
      `${what} is withdrawn: ${countOf(resources.length, 'address')} answer${resources.length === 1 ? 's' : ''} 410 from now on`,
      announced
        ? 'the Change Lists tell of the deletion with the next publication (within a second where rsbridge serve runs)'
        : `its source is being harvested (${busy.join(', ')}): that process tells the Change Lists of the deletion within a minute, or the next harvest does`,
      ...(sources.length > 1
        ? [`several sources list that URL, and it is withdrawn in all of them: ${sources.join(', ')}`]
        : []),
      removed > 0
        ? `${countOf(removed, 'content')} removed from the store; content that public resources share with it stays`
        : 'no bytes had to be removed from the store',
      'copies made by rsbridge export are removed by its next run; backups, and the copies of others, are not',
    ];
    printResult(
      io,
      flags.json,
      { ...said, sources, announced, contentsRemoved: removed },
      sentences.join('\n'),
    );
    return exitCodes.ok;
  });
}

/** @throws BridgeError `unknown-resource` */
export async function findWithdrawable(bridge: Bridge, text: string): Promise<Target> {
  const found = await findTarget(bridge, text);
  if (found.kind === 'item') {
    const { source, identifier } = found.item;
    return { source, identifier, path: undefined };
  }
  const { source, identifier, path } = found.history;
  return { source, identifier, path };
}

export function uriOf({ config }: Bridge, { source, identifier, path }: Target): string {
  return toUri(config.baseUrl, path ?? itemPath(source, identifier));
}

async function refuseRepetition(bridge: Bridge, target: Target): Promise<void> {
  const known = await withdrawalsOf(bridge, target);
  const same = known.find(({ path }) => path === undefined || path === target.path);
  if (!same) return;
  const what = same.path === undefined ? `the item ${same.identifier}` : uriOf(bridge, target);
  const why = same.reason === undefined ? '' : ` (${same.reason})`;
  throw new BridgeError('already-withdrawn', `${what} was withdrawn at ${same.at}${why}`);
}

/** Of its item, and, of the URL of a file that is only linked to, of every source. */
export async function withdrawalsOf(
  { database: { writer } }: Bridge,
  { source, identifier, path }: Target,
): Promise<readonly Withdrawal[]> {
  const known = await findWithdrawals(writer, source, identifier);
  return path !== undefined && isAbsolute(path)
    ? [...known, ...(await findWithdrawalsAt(writer, path))]
    : known;
}

async function resourcesOf(bridge: Bridge, { source, identifier, path }: Target): Promise<readonly string[]> {
  const item = await findItem(bridge.database.writer, source, identifier);
  const all = (item?.resources ?? []).filter((one) => path === undefined || one.path === path);
  return all.map((one) => toUri(bridge.config.baseUrl, one.path));
}

const attempts = 50;
const pauseMs = 200;

/** @returns false where another process holds the source: it sees to the rest itself */
async function announce(bridge: Bridge, source: string, io: CommandIo): Promise<boolean> {
  const { database, clock, config } = bridge;
  const work = async (lease: Lease): Promise<void> => {
    const settings = config.sources[source];
    // Of a source that is not configured any more nothing but this is to change.
    if (!settings) await enforceWithdrawals(database, lease, instant(clock));
    else await settle(database, lease, fileRules(settings), () => instant(clock), { signal: io.abort });
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await borrowLease(database, source, clock.now().getTime(), work);
      return true;
    } catch (error) {
      const isBusy = isBridgeError(error, 'lease-held') || isBridgeError(error, 'database-locked');
      if (!isBusy) throw error;
      if (attempt >= attempts || io.stop.aborted) return false;
      await sleep(pauseMs);
    }
  }
}

async function removeBytes({ database, config, clock }: Bridge, io: CommandIo): Promise<number> {
  const { directory } = config;
  const now = toIso(clock.now());
  const settings = { database, directory, followedUpTo: new Map<number, number>(), now, signal: io.abort };
  const { contents } = await removeUnreferenced({ ...settings, urgent: true });
  return contents;
}
