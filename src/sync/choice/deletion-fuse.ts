/** As for harvests: more than so many, and more than this share of what is held, are not deleted without being told. */
const fewest = 20;
const share = 0.1;

/**
 * @param doomed resources that are to be deleted
 * @param held resources that are held, these included
 * @param allowed how many somebody allowed; undefined: nobody said anything
 * @returns how many are too many; undefined: they may go
 */
export function tooManyDeletions(
  doomed: number,
  held: number,
  allowed: number | undefined,
): number | undefined {
  const limit = allowed ?? Math.max(fewest, Math.floor(held * share));
  return doomed > limit ? limit : undefined;
}
