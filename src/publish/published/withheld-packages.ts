import type { Queryable } from '../../store/engine/database.ts';
import type { WithheldRule } from '../../store/reading/withheld.ts';
import {
  type JudgedSet,
  packsAnyOf,
  packsHeldBack,
  packsUnannounced,
  packsWithheld,
} from '../../store/reading/withheld-in-set.ts';
import { readJournal } from '../../store/sources/journal.ts';
import { checkedUpTo } from './package-check.ts';
import type { Packed } from './publication.ts';

/** `withdrawn`: it is built again without something; `held-back`: a file in it waits for its repository's last word. */
export type PackageVerdict = 'open' | 'withdrawn' | 'held-back';

/**
 * Whether everything in a package may be handed out. That is asked of the database, behind where the publication was
 * looked at last: any process may have deleted something since, and building packages again takes its time.
 * @param hidden sources of which nothing may be in what is for everybody
 */
export async function judgePackage(
  db: Queryable,
  set: JudgedSet,
  { holds, check, isJoint, journal }: Omit<Packed, 'set'>,
  rule: WithheldRule,
  hidden: readonly string[] = [],
): Promise<PackageVerdict> {
  // Nothing says any more what a set across sources is made of that is not configured, or has begun anew.
  if (isJoint && (!set.members || (await readJournal(db, set.source))?.id !== journal)) return 'withdrawn';
  if (isJoint && (await packsAnyOf(db, set, holds, hidden))) return 'withdrawn';
  if (await packsUnannounced(db, set, holds)) return 'withdrawn';
  if (await packsHeldBack(db, set, holds)) return 'held-back';
  const since = checkedUpTo(check, set, rule);
  return (await packsWithheld(db, set, holds, since, rule)) ? 'withdrawn' : 'open';
}
