import { refusal } from '../../core/errors.ts';
import { itemPath } from '../../core/uris.ts';
import type { Actor } from '../../store/admin/audit.ts';
import { sameElsewhere } from '../../store/removal/shared-withdrawals.ts';
import type { Target } from '../../store/removal/withdrawal.ts';
import {
  endWithdrawals as endAll,
  findWithdrawalsAt,
  listWithdrawals,
} from '../../store/removal/withdrawals.ts';
import type { Bridge } from '../bridge.ts';
import { noteAct } from '../sources/source-acts.ts';
import { pathsIn } from './find-target.ts';
import { findWithdrawable, uriOf, withdrawalsOf } from './withdraw.ts';

/** What would be published again. */
export interface RestorationPlan {
  readonly target: Target;
  /** The withdrawals that would end. */
  readonly ended: readonly Target[];
  readonly uris: readonly string[];
}

/**
 * @param text whatever names a resource or an item, see `findTarget`
 * @throws BridgeError `unknown-resource`, `not-withdrawn`
 */
export async function planRestoration(bridge: Bridge, text: string): Promise<RestorationPlan> {
  const target = (await findWithdrawn(bridge, text)) ?? (await findWithdrawable(bridge, text));
  const ended = await withSame(bridge, await withdrawalsMeant(bridge, target));
  return { target, ended, uris: [...new Set(ended.map((one) => uriOf(bridge, one)))] };
}

/**
 * Ends them; what was withdrawn left nothing behind that could be published, so its items have to be read again.
 * @returns those: of sources that have the same items those that are configured, if any is
 */
export async function endWithdrawals(
  bridge: Bridge,
  { ended, uris }: RestorationPlan,
  by: Actor,
): Promise<readonly Target[]> {
  await endAll(bridge.database, ended);
  await noteAct(bridge, by, 'restored', uris.join(' '));
  const items = itemsOf(ended);
  const isRead = ({ source }: Target) => Object.hasOwn(bridge.config.sources, source);
  const read = new Set(items.filter(isRead).map(({ identifier }) => identifier));
  return items.filter((one) => isRead(one) || !read.has(one.identifier));
}

/** A withdrawal by the address that it is told at: its source may never have had what it is of (`shareWithdrawals`). */
async function findWithdrawn({ config, database }: Bridge, text: string): Promise<Target | undefined> {
  for (const path of pathsIn(text, config.baseUrl)) {
    const [found] = await findWithdrawalsAt(database.writer, path);
    if (found) return found;
    const [, source] = /^([a-z0-9-]+)\/items\/[^/]+$/.exec(path) ?? [];
    if (source === undefined) continue;
    const whole = (await listWithdrawals(database.writer, [source])).find(
      (one) => one.path === undefined && itemPath(source, one.identifier) === path,
    );
    if (whole) return whole;
  }
  return undefined;
}

/** What was withdrawn in one of the sources that have the same items was withdrawn in all of them. */
async function withSame(bridge: Bridge, ended: readonly Target[]): Promise<readonly Target[]> {
  const all = [...ended];
  for (const one of ended)
    for (const same of await sameElsewhere(bridge.database.writer, one))
      if ((await withdrawalsOf(bridge, same)).some(({ path }) => path === same.path)) all.push(same);
  return eachOnce(all, ({ source, identifier, path }) => [source, identifier, path]);
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
    throw refusal('not-withdrawn', 'item-not-withdrawn', { item: identifier });
  }
  const same = itemsOf(known.filter((one) => one.path === path));
  if (same.length > 0) return same;
  const uri = uriOf(bridge, target);
  if (!whole) throw refusal('not-withdrawn', 'not-withdrawn', { uri });
  const page = uriOf(bridge, { source, identifier, path: undefined });
  throw refusal('not-withdrawn', 'withdrawn-with-item', { uri, page });
}

function itemsOf(ended: readonly Target[]): readonly Target[] {
  return eachOnce(ended, ({ source, identifier }) => [source, identifier]);
}

function eachOnce(
  targets: readonly Target[],
  keyOf: (target: Target) => readonly unknown[],
): readonly Target[] {
  return [...new Map(targets.map((one) => [JSON.stringify(keyOf(one)), one])).values()];
}
