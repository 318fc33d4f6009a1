import { lowestPriority } from '../../resourcesync/reading/statement.ts';
import type { DueResource } from '../state/due-resources.ts';

/** Where the bytes of a resource are, in the order in which they are asked for. */
export interface Addresses {
  readonly bytes: readonly string[];
  /** The state that was stated, whatever has become of the resource since (RS-LN-19). */
  memento(): string | undefined;
}

/**
 * Mirrors that the Source ranks come before its own address, by rank, the others behind it. A mirror is another's word: it is asked only
 * where a hash tells whether its bytes are right.
 * @param isAllowed whether an address may be asked at all
 */
export function addressesOf(
  due: Pick<DueResource, 'loc' | 'hashes' | 'links' | 'mayLinkTo'>,
  isAllowed: (address: string) => boolean,
): Addresses {
  const { loc, hashes } = due;
  const linked = (relation: string) =>
    due.mayLinkTo(relation)
      ? due.links.filter(({ rel, href }) => rel === relation && href !== loc && isAllowed(href))
      : [];
  const mirrors = hashes.length === 0 ? [] : linked('duplicate').toSorted((a, b) => a.pri - b.pri);
  const isRanked = ({ pri }: { pri: number }) => pri < lowestPriority;
  const urls = (found: readonly { href: string }[]) => found.map(({ href }) => href);
  const [before, behind] = [mirrors.filter(isRanked), mirrors.filter((one) => !isRanked(one))];
  return { bytes: [...urls(before), loc, ...urls(behind)], memento: () => linked('memento')[0]?.href };
}
