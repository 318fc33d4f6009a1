import { describeError } from '../../../src/core/errors.ts';
import { requestRecord } from '../items/get-record.ts';
import type { Listing } from '../lists/listing.ts';
import { type ChainState, newChain, type PassProgress, passKey } from '../windows/checkpoint.ts';
import type { Pass } from '../windows/passes.ts';
import { cutAt, isWithin, type Window } from '../windows/window.ts';
import { isAboutEndpoint } from '../wire/trouble.ts';
import type { BadSpot, BadSpots } from './bad-spots.ts';

/** A pass that begins with what is known of the places where its list fails. */
export interface PassAround {
  /** undefined: it begins with the whole. */
  readonly progress: PassProgress | undefined;
  /** Why a record cannot be had, of those that were asked for just now. */
  readonly failing: ReadonlyMap<string, string>;
}

/**
 * Asks once for each record that could not be had, and plans a pass around those that still cannot. A window whose
 * records can all be had is tried as a list again. A pass that was interrupted goes on where it was.
 */
export async function planAround<Entry>(
  listing: Listing<Entry>,
  pass: Pass,
  begun: { readonly progress: PassProgress | undefined; readonly base: Window },
  spots: BadSpots,
  signal: AbortSignal,
): Promise<PassAround> {
  const { verb, dates, habits } = listing;
  const failing = new Map<string, string>();
  const nothing = { progress: begun.progress, failing };
  if (begun.progress !== undefined) return nothing;
  if (verb !== 'ListRecords' || !dates.allowed || habits.windowTrouble) return nothing;
  const known = spots.all;
  const bounds = known.flatMap(({ window: { from, until } }) => [from ?? '', until ?? '']);
  const windows = cutAt(begun.base, bounds, dates.granularity);
  const spotOf = (window: Window) => known.find((spot) => isWithin(window, spot.window));
  if (!windows.some((window) => spotOf(window) !== undefined)) return nothing;
  const states: ChainState[] = [];
  for (const window of windows) {
    const spot = spotOf(window);
    const single = spot !== undefined && (await isBad(spot, listing, pass, failing, signal));
    states.push(single ? { ...newChain(window, true), single } : newChain(window, spot !== undefined));
  }
  const progress: PassProgress = { key: passKey(pass), delivered: 0, windows: states, cut: 'failing' };
  return { progress, failing };
}

/** Whether one of its records cannot be had, or may be gone. */
async function isBad<Entry>(
  { identifiers }: BadSpot,
  { endpoint, context }: Listing<Entry>,
  { format }: Pass,
  failing: Map<string, string>,
  signal: AbortSignal,
): Promise<boolean> {
  let bad = false;
  for (const identifier of identifiers) {
    bad ||= failing.has(identifier);
    if (failing.has(identifier)) continue;
    try {
      const record = await requestRecord(endpoint, identifier, format, signal, 1);
      if (typeof record === 'string') bad = true;
    } catch (error) {
      if (signal.aborted) throw error;
      bad = true;
      const reason = describeError(error);
      context.log.debug({ url: endpoint.url, identifier, reason }, 'record still cannot be had');
      // Where nothing at all is answered, its list says so.
      if (isAboutEndpoint(error)) return true;
      failing.set(identifier, reason);
    }
  }
  return bad;
}
