/** What we ask for, in seconds: hubs give what they like, at most a month as a rule. */
export const askedLease = 10 * 86_400;
const shortest = 60;
const longest = 31 * 86_400;
/** From here on, and no later than there, the lease is renewed: of many not all at once. */
const renewFrom = 0.5;
const renewSpan = 0.3;

/** In milliseconds from now: when it ends, and when it is asked for again. */
export interface Lease {
  readonly endsIn: number;
  readonly renewIn: number;
}

/**
 * @param stated `hub.lease_seconds` as a hub states it; what is no sensible number is taken for a day
 * @param chance 0 and more and less than 1
 */
export function leaseOf(stated: string | undefined, chance: number): Lease {
  const seconds = /^\d{1,12}$/.test(stated ?? '') ? Number(stated) : 86_400;
  const kept = Math.min(longest, Math.max(shortest, seconds));
  return { endsIn: kept * 1000, renewIn: Math.floor(kept * 1000 * (renewFrom + renewSpan * chance)) };
}

/** After so many attempts that failed, in milliseconds: from half a minute to six hours. */
export function pauseAfter(attempts: number, chance: number): number {
  const most = Math.min(6 * 3_600_000, 30_000 * 2 ** Math.min(attempts, 20));
  return Math.floor((most * (1 + chance)) / 2);
}
