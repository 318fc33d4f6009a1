import { toIso } from '../../core/datetime.ts';
import { nameOfSet, type ResourceSet } from '../../core/resource-set.ts';
import type { Privacy } from '../../server/privacy.ts';
import { findSetsOfToken } from '../../store/admin/tokens.ts';
import type { Bridge } from '../bridge.ts';
import { createPrivacy } from '../state/privacy.ts';

/** Whether who subscribed may still read what it is told of: asked each time, for a token may have been taken back. */
export type MayBeTold = (
  set: ResourceSet,
  subscriber: { readonly kind: string; readonly tokenHash?: string | undefined },
) => Promise<boolean>;

export function createMayBeTold(
  bridge: Pick<Bridge, 'config' | 'database' | 'jointSets' | 'clock'>,
  privacy: Privacy = createPrivacy(bridge),
): MayBeTold {
  const { database, clock } = bridge;
  return async (set, { kind, tokenHash }) => {
    if (!set.isPrivate) return true;
    // The operator has named it, and knows what is private.
    if (kind === 'webhook') return true;
    if (tokenHash === undefined) return false;
    const parts = await privacy.of(set.source);
    if (parts?.hashes.has(tokenHash)) return true;
    const readable = await findSetsOfToken(database, tokenHash, toIso(clock.now()));
    return [set.source, parts?.alias, `${set.source}/${nameOfSet(set)}`].some(
      (name) => name !== undefined && readable.includes(name),
    );
  };
}
