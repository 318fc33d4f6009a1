import type { Lease } from './leases.ts';

/**
 * What reads first, decides, and then writes is safe from other processes by the lease of its source, and from other
 * work of its own process by this: one after the other.
 */
const turns = new WeakMap<Lease, Promise<unknown>>();

/** Not to be called within itself. */
export function inTurn<Result>(lease: Lease, work: () => Promise<Result>): Promise<Result> {
  const before = turns.get(lease) ?? Promise.resolve();
  const turn = before.then(work, work);
  turns.set(lease, turn);
  return turn;
}
