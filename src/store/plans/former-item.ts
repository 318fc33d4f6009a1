import { areOfTwoItems, itemAt } from '../../core/addresses/item-address.ts';
import type { MappedItem } from '../../core/mapping/mapping.ts';
import type { KnownResource } from './resource-changes.ts';

interface Known {
  readonly resources: readonly KnownResource[];
}

/**
 * Whether a delivery is of another item than the one that had its identifier before, and is not for everybody: it takes over nothing of
 * that one.
 */
function takesOver(known: Known | undefined, { resources }: MappedItem): boolean {
  const refused = (known?.resources ?? []).filter(
    ({ kind, refused_at = null }) => kind === 'metadata' && refused_at !== null,
  );
  if (refused.length === 0) return false;
  const now = resources.find(({ upstreamUrl }) => itemAt(upstreamUrl) !== undefined)?.upstreamUrl;
  return refused.some(({ upstream_url }) => areOfTwoItems(upstream_url, now));
}

/** Files that lend their places, and what is known of them, to those of a delivery. @param stated in it */
export function filesOfItsOwn(
  known: Known | undefined,
  item: MappedItem,
  stated: readonly { readonly url: string }[],
): readonly KnownResource[] {
  const isOther = takesOver(known, item);
  const urls = new Set(stated.map(({ url }) => url));
  return (known?.resources ?? []).filter(
    ({ kind, refused_at = null, deleted_at, upstream_url, path }) =>
      kind === 'file' &&
      (urls.has(upstream_url ?? path) || (refused_at === null && !(isOther && deleted_at !== null))),
  );
}

/** A repository says nothing of earlier versions where there are none: then those of before stay, but not those of the other item. */
export function withVersionsOfItsOwn(item: MappedItem, known: Known | undefined): MappedItem {
  return item.versions === undefined && takesOver(known, item) ? { ...item, versions: [] } : item;
}
