import { ruleOf, type WithheldRule } from '../../store/reading/withheld.ts';
import { type JudgedSet, strictSourcesOf } from '../../store/reading/withheld-in-set.ts';
import type { PackageCheck } from '../disk/pointer.ts';

/** That no package of a set has what may not be handed out, as of a sequence of its journal, by the rules of now. */
export function checkOf(set: JudgedSet, seq: number): PackageCheck {
  const strict = strictSourcesOf(set);
  return { seq, ofDeleted: ruleOf(set).ofDeleted, ...(strict.length > 0 ? { strict } : {}) };
}

/** Up to where the packages are known to be clean; 0 where a rule has become stricter since they were looked at. */
export function checkedUpTo(
  check: PackageCheck | undefined,
  set: JudgedSet,
  rule: WithheldRule = ruleOf(set),
): number {
  return check && !isStricter(check, set, rule) ? check.seq : 0;
}

/** By a stricter rule than the last time everything is looked at again. */
export function isStricter(
  { ofDeleted, strict = [] }: PackageCheck,
  set: JudgedSet,
  rule: WithheldRule = ruleOf(set),
): boolean {
  if (ofDeleted && !rule.ofDeleted) return true;
  return strictSourcesOf(set).some((source) => !strict.includes(source));
}
