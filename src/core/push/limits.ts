/** Of leases, in seconds (NT-08): shorter and longer wishes are granted as near as that. */
export const shortestLease = 300;
export const longestLease = 2_678_400;

/** WS-04: fewer than 200 bytes. */
export const longestSecret = 199;
export const longestCallback = 2000;

/** Of one payload: subscribers refuse what is larger than 1 MiB. */
export const payloadLimits = { entries: 1000, bytes: 1_000_000 } as const;

/** More changes at once than this are not told one by one: a gap says that they are to be read in the Change List. */
export const mostChangesAtOnce = 10_000;

/** What is older is not told any more. */
export const retention = { milliseconds: 3_600_000, count: 256, untoldMilliseconds: 30_000 } as const;

/** Who is so far behind goes on with the latest, and finds the rest in the Change List. */
export const mostBehind = 120;

const firstRetryMs = 15_000;
const longestRetryMs = 3_600_000;

/** After so many failures in a row: full jitter, so that many who failed together do not come back together. */
export function retryDelay(failures: number, random: () => number = Math.random): number {
  const most = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 20));
  return Math.max(1000, Math.round(most * random()));
}

/** When a callback that has not answered is asked again whether it wants what was asked for; undefined: no more. */
export function verificationDelay(attempts: number): number | undefined {
  return [60_000, 300_000][attempts - 1];
}
