import type { FileRules } from '../../core/files/published-files.ts';
import { isAbsolute } from '../../core/uris.ts';
import type { Queryable } from '../../store/engine/database.ts';
import type { ResourceState } from '../../store/history/resource-states.ts';
import { findKept } from '../../store/payloads/blobs.ts';

/** Living resources by where their bytes come from. What is only linked to is in neither: it is elsewhere. */
export interface PlacedStates {
  /** We have them; an export has them, too. */
  readonly ours: readonly ResourceState[];
  /** Files that the bridge fetches when they are asked for: no web server has them. */
  readonly passedOn: readonly ResourceState[];
}

/** @param mode of the source's files */
export async function placeStates(
  db: Queryable,
  mode: FileRules['mode'] | undefined,
  states: readonly ResourceState[],
): Promise<PlacedStates> {
  const served = states.filter(({ path }) => !isAbsolute(path));
  const isFetched = ({ kind }: ResourceState) => kind === 'file' && mode !== 'mirror';
  const hashes = served.filter(isFetched).flatMap(({ hash }) => hash ?? []);
  // An upstream may state a SHA-256 as well: of bytes that are kept, or not.
  const kept = hashes.length === 0 ? new Set<string>() : await findKept(db, hashes);
  const isOurs = (state: ResourceState) => !isFetched(state) || kept.has(state.hash ?? '');
  return { ours: served.filter(isOurs), passedOn: served.filter((state) => !isOurs(state)) };
}
