/** As for harvests: more than so many, and more than this share of what is held, are not deleted without being told. */
const fewest = 20;
const share = 0.1;

/** Kept while what waits to be deleted does so because a list named nothing at all. */
export const emptyList = 'empty list';

/**
 * @param doomed resources that are to be deleted
 * @param held resources that are held, these included
 * @param allowed how many somebody allowed; undefined: nobody said anything
 * @param isListEmpty the list that they are absent from names nothing: an emptied Source, or a fault of it
 * @returns how many are too many; undefined: they may go
 */
export function tooManyDeletions(
  doomed: number,
  held: number,
  allowed: number | undefined,
  isListEmpty = false,
): number | undefined {
  const limit = allowed ?? (isListEmpty ? 0 : Math.max(fewest, Math.floor(held * share)));
  return doomed > limit ? limit : undefined;
}
