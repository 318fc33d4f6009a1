import { setTimeout as sleep } from 'node:timers/promises';
import { toIso } from '../../core/datetime.ts';
import { isBridgeError, refusal } from '../../core/errors.ts';
import { isAbsolute, itemPath, toUri } from '../../core/uris.ts';
import { fileRules } from '../../harvest/file-rules.ts';
import { instant, type RunSignals } from '../../harvest/harvest-source.ts';
import type { Actor } from '../../store/admin/audit.ts';
import { settle } from '../../store/pages/settle.ts';
import { removeUnreferenced } from '../../store/payloads/unreferenced-blobs.ts';
import { findItem } from '../../store/reading/items.ts';
import { sameElsewhere } from '../../store/removal/shared-withdrawals.ts';
import {
  findOtherVersions,
  findOwnVersions,
  type OtherVersion,
} from '../../store/removal/versions-elsewhere.ts';
import type { Target } from '../../store/removal/withdrawal.ts';
import {
  enforceWithdrawals,
  findWithdrawals,
  findWithdrawalsAt,
  type Withdrawal,
  withdraw,
} from '../../store/removal/withdrawals.ts';
import { borrowLease, type Lease } from '../../store/runs/leases.ts';
import type { Bridge } from '../bridge.ts';
import { noteAct } from '../sources/source-acts.ts';
import { findTarget } from './find-target.ts';

/** What would vanish from the public. */
export interface WithdrawalPlan {
  readonly target: Target;
  /** Of the resource, or of the item's page. */
  readonly uri: string;
  /** `the item oai:…`, or the URI. */
  readonly what: string;
  /** URIs that answer 410 from then on. */
  readonly resources: readonly string[];
  /** Items that are the same work, and stay; each with its page, which names it alone. */
  readonly versions: readonly (OtherVersion & { readonly page: string })[];
  /** What the repository calls earlier versions that have no addresses of their own, and go with it. */
  readonly ownVersions: readonly string[];
  /** The address of one version was given: all of the resource go. */
  readonly isOfMemento: boolean;
}

/**
 * @param text whatever names a resource or an item, see `findTarget`
 * @throws BridgeError `unknown-resource`, `already-withdrawn`
 */
export async function planWithdrawal(bridge: Bridge, text: string): Promise<WithdrawalPlan> {
  const target = await findWithdrawable(bridge, text);
  await refuseRepetition(bridge, target);
  const resources = await resourcesOf(bridge, target);
  const uri = uriOf(bridge, target);
  const { source } = target;
  const versions = (await findOtherVersions(bridge.database.writer, target)).map((one) => {
    const { identifier } = one;
    return { ...one, page: uriOf(bridge, { source, identifier, path: undefined }) };
  });
  const ownVersions = await findOwnVersions(bridge.database.writer, target);
  const what = target.path === undefined ? `the item ${target.identifier}` : uri;
  const isOfMemento = /(?:^|\/)memento\/\d{1,14}\//.test(text);
  return { target, uri, what, resources, versions, ownVersions, isOfMemento };
}

/**
 * From here on it is handed out no more, by any process.
 * @returns the sources that have something to announce
 */
export async function withdrawNow(
  bridge: Bridge,
  { target, uri }: Pick<WithdrawalPlan, 'target' | 'uri'>,
  reason: string | undefined,
  by: Actor,
): Promise<readonly string[]> {
  const sources = await withdraw(bridge.database, target, reason, toIso(bridge.clock.now()));
  await noteAct(bridge, by, 'withdrew', reason === undefined ? uri : `${uri} (${reason})`);
  return sources;
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

export function uriOf({ config }: Pick<Bridge, 'config'>, { source, identifier, path }: Target): string {
  return toUri(config.baseUrl, path ?? itemPath(source, identifier));
}

async function refuseRepetition(bridge: Bridge, target: Target): Promise<void> {
  const known = await withdrawalsOf(bridge, target);
  const same = known.find(({ path }) => path === undefined || path === target.path);
  if (!same) return;
  const { at, reason: why = '' } = same;
  throw same.path === undefined
    ? refusal('already-withdrawn', 'item-withdrawn', { item: same.identifier, at, why })
    : refusal('already-withdrawn', 'withdrawn', { uri: uriOf(bridge, target), at, why });
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

async function resourcesOf({ database, config }: Bridge, target: Target): Promise<readonly string[]> {
  const uris: string[] = [];
  for (const { source, identifier, path } of [target, ...(await sameElsewhere(database.writer, target))]) {
    const item = await findItem(database.writer, source, identifier);
    const meant = (item?.resources ?? []).filter((one) => path === undefined || one.path === path);
    uris.push(...meant.map((one) => toUri(config.baseUrl, one.path)));
  }
  return uris;
}

export interface Patience extends RunSignals {
  /** How often a source is tried that another process works on, each time after a fifth of a second; default: 50. */
  readonly attempts?: number;
}

const pauseMs = 200;

/**
 * Tells the Change Lists.
 * @returns false where another process holds the source: it sees to the rest itself
 */
export async function announceWithdrawal(
  bridge: Bridge,
  source: string,
  { attempts = 50, stop, signal }: Patience,
): Promise<boolean> {
  const { database, clock, config } = bridge;
  const work = async (lease: Lease): Promise<void> => {
    const settings = config.sources[source];
    // Of a source that is not configured any more nothing but this is to change.
    if (!settings) await enforceWithdrawals(database, lease, instant(clock));
    else await settle(database, lease, fileRules(settings), () => instant(clock), { signal });
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await borrowLease(database, source, clock.now().getTime(), work);
      return true;
    } catch (error) {
      const isBusy = isBridgeError(error, 'lease-held') || isBridgeError(error, 'database-locked');
      if (!isBusy) throw error;
      if (attempt >= attempts || stop.aborted) return false;
      await sleep(pauseMs);
    }
  }
}

/**
 * Takes it down, and tells the Change Lists; its bytes are still there (`removeWithdrawnBytes`).
 * @returns the sources that list it, and those of them where another process tells the lists within a minute
 */
export async function takeDown(
  bridge: Bridge,
  plan: Pick<WithdrawalPlan, 'target' | 'uri'>,
  { reason, by }: { readonly reason: string | undefined; readonly by: Actor },
  patience: Patience,
): Promise<{ readonly sources: readonly string[]; readonly busy: readonly string[] }> {
  const sources = await withdrawNow(bridge, plan, reason, by);
  const busy: string[] = [];
  for (const source of sources) if (!(await announceWithdrawal(bridge, source, patience))) busy.push(source);
  return { sources, busy };
}

/** @returns how many contents are gone */
export async function removeWithdrawnBytes(
  { database, config, clock }: Bridge,
  signal: AbortSignal,
): Promise<number> {
  const { directory } = config;
  const now = toIso(clock.now());
  const settings = { database, directory, followedUpTo: new Map<number, number>(), now, signal };
  const { contents } = await removeUnreferenced({ ...settings, urgent: true });
  return contents;
}
