import { createHash } from 'node:crypto';

/** So many sources are harvested side by side anyway; what is due at the same minute does not wait for its turn. */
const dueTogether = 8;

/**
 * Sources that share a schedule are spread over the time until it comes again, each at a place of its own that its
 * name alone decides. What is written for one source stays as it is written; so do schedules that somebody wrote for a
 * few. The default is nobody's word: it is spread from the second source on.
 * @param schedules of each source, by its name
 * @returns by name, the place: a share of that time, 0 and more and less than 1
 */
export function spreadSources(
  schedules: ReadonlyMap<string, string>,
  byDefault: string,
): ReadonlyMap<string, number> {
  const sharers = new Map<string, number>();
  for (const cron of schedules.values()) sharers.set(cron, (sharers.get(cron) ?? 0) + 1);
  return new Map(
    [...schedules].map(([name, cron]) => {
      const asWritten = cron === byDefault ? 1 : dueTogether;
      return [name, (sharers.get(cron) ?? 0) > asWritten ? placeOf(name) : 0];
    }),
  );
}

function placeOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
}
