import type { ResourceSet } from '../../core/resource-set.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { holdsHeldBack, holdsWithheld, type WithheldRule } from '../../store/reading/withheld.ts';
import type { Packed } from './publication.ts';

/** `withdrawn`: it is built again without something; `held-back`: a file in it waits for its repository's last word. */
export type PackageVerdict = 'open' | 'withdrawn' | 'held-back';

/**
 * Whether everything in a package may be handed out. That is asked of the database, behind where the publication was
 * looked at last: any process may have deleted something since, and building packages again takes its time.
 */
export async function judgePackage(
  db: Queryable,
  set: Pick<ResourceSet, 'source' | 'filter'>,
  { holds, check }: Pick<Packed, 'holds' | 'check'>,
  rule: WithheldRule,
): Promise<PackageVerdict> {
  if (await holdsHeldBack(db, set, holds)) return 'held-back';
  // By a stricter rule than when it was looked at, everything is looked at again.
  const since = check && (rule.ofDeleted || !check.ofDeleted) ? check.seq : 0;
  return (await holdsWithheld(db, set, holds, since, rule)) ? 'withdrawn' : 'open';
}
