import { nothingToFollow } from '../../resourcesync/discovery/found-source.ts';

/** How a copy is brought up to date. */
export type Way = 'baseline' | 'incremental' | 'audit';

export interface WayFacts {
  /** What somebody asked for; undefined: whatever is needed. */
  readonly asked: Way | undefined;
  /** Up to when the copy is complete; undefined: it never was. */
  readonly cursor: string | undefined;
  /** It was taken for complete up to then, which lies in the future. */
  readonly future?: string | undefined;
  readonly offersChanges: boolean;
  readonly offersList: boolean;
  /** Another choice of resources than before. */
  readonly isOtherSelection: boolean;
  /** The set that the copy is of, where it is another one; undefined: it is the same. */
  readonly otherSet?: OtherSet | undefined;
}

export interface OtherSet {
  readonly before: string;
  /** Somebody asked for the new one; else the one of before is not there any more. */
  readonly isNamed: boolean;
}

/** @returns the way, and why; or why there is none */
export function chooseWay(
  facts: WayFacts,
): { readonly way: Way; readonly why: string } | { readonly refused: string } {
  const { asked, cursor, future, offersChanges, offersList, isOtherSelection, otherSet } = facts;
  if (!offersChanges && !offersList) return { refused: `the Source offers ${nothingToFollow}` };
  if (asked === 'incremental') {
    if (!offersChanges) return { refused: 'the Source offers no Change List; leave out --incremental' };
    if (otherSet !== undefined)
      return { refused: `the copy is of another set, ${otherSet.before}; leave out --incremental` };
    if (cursor === undefined && future === undefined)
      return { refused: 'there is no copy yet whose changes could be followed; begin without --incremental' };
    return { way: 'incremental', why: 'as asked' };
  }
  if (!offersList) {
    if (asked !== undefined) return { refused: `the Source offers no Resource List; leave out --${asked}` };
    if (otherSet?.isNamed === true)
      return {
        refused: `the copy is of another set, ${otherSet.before}, and this one offers changes alone, with which a copy cannot be compared; take another directory`,
      };
    return { way: 'incremental', why: 'the Source offers changes alone' };
  }
  if (asked !== undefined) return { way: asked, why: 'as asked' };
  if (otherSet !== undefined) {
    const { before, isNamed } = otherSet;
    const why = isNamed ? `another set is wanted than before, which was ${before}` : 'the set has moved';
    return { way: 'audit', why };
  }
  if (future !== undefined)
    return { way: 'audit', why: `the copy had everything as of ${future}, which lies in the future` };
  if (cursor === undefined) return { way: 'baseline', why: 'there is no complete copy yet' };
  if (isOtherSelection) return { way: 'audit', why: 'other resources are wanted than before' };
  if (!offersChanges) return { way: 'audit', why: 'the Source offers no changes' };
  return { way: 'incremental', why: `there is a copy as of ${cursor}` };
}

/** A package costs one request for many resources, and resources that are not wanted: worth it for many small ones. */
const smallOctets = 100_000;
const fewest = 10;

/** What a request costs beside the bytes that it brings. */
const requestOctets = 20_000;

/**
 * Whether packages of changes are cheaper than a request for each resource that is due.
 * @param lengths of the packages
 */
export function areChangeDumpsCheaper(
  due: { count: number; octets: number },
  lengths: readonly (number | undefined)[],
): boolean {
  if (lengths.length === 0 || due.count < fewest) return false;
  const all = lengths.reduce<number>((sum, length) => sum + (length ?? 0) + requestOctets, 0);
  return all < due.octets + due.count * requestOctets;
}

/** Of which nothing is known but its length: nothing is lost by fetching it before it is known what it has. Octets. */
const smallPackage = 268_435_456;

/** Whether a package may be fetched before anything is known of what it has. */
export function isSmallPackage({ length }: { readonly length: number | undefined }): boolean {
  return length !== undefined && length <= smallPackage;
}

/** Whether what came of a dump so far is what packages are worth it for. */
export function isFullOfSmall({ due, octets }: { readonly due: number; readonly octets: number }): boolean {
  return due === 0 || octets / due < smallOctets;
}

/** Whether a dump is cheaper than a request for each resource that is due. */
export function isDumpCheaper(due: { count: number; stated: number; octets: number }, held: number): boolean {
  if (due.count < fewest || due.count < held) return false;
  return due.stated === 0 || due.octets / due.stated < smallOctets;
}
