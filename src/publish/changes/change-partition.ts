import { endOfSlot } from '../../core/datetime.ts';
import type { Limits } from '../../core/sitemap.ts';
import type { Extent, OpenList, Partition } from '../disk/change-state.ts';

export type Step =
  /** The first `kept` of the list are its content; the rest belongs to the list that opens next. */
  | {
      readonly kind: 'close';
      readonly from: string;
      readonly ordinal: number;
      readonly until: string;
      readonly kept: Extent;
    }
  /** It begins with what the closed one did not keep. */
  | { readonly kind: 'open'; readonly from: string; readonly ordinal: number };

export const emptyPartition: Partition = { ordinal: 0 };

/**
 * Which change stands in which Change List: a pure fold over the journal, so that closed lists can be
 * rendered again, byte for byte, from nothing but the journal.
 *
 * - A list closes at the end of the slot of the day that its last entry is in (slots are counted from
 *   midnight UTC, and at most a day long), or before it would exceed the limits.
 * - Intervals are half-open, [from, until) (E-12): a cut falls only where the datetime increases. Where
 *   changes of one moment do not fit behind earlier ones, all of them move on to the next list.
 * - The next list's `from` is the last one's `until` (RS-CL-16); it opens with its first change (E-13).
 * - Changes of a single moment that exceed the limits by themselves have to be cut: the first lists of them
 *   have `until` = `from` = that moment, and the successors' URIs an ordinal.
 *
 * Takes in the next change.
 * @param limits with `bytes` reduced by head and tail
 * @returns the steps to take before it is appended, and the partition after it was
 */
export function placeChange(
  partition: Partition,
  change: { readonly datetime: string; readonly bytes: number },
  limits: Limits,
  slotMinutes: number,
): { readonly partition: Partition; readonly steps: readonly Step[] } {
  const steps: Step[] = [];
  let current = partition;
  const take = (next: Partition, ...taken: Step[]) => {
    current = next;
    steps.push(...taken);
  };

  const due = current.open && endOfSlot(current.open.datetime, slotMinutes);
  if (current.open && due !== undefined && change.datetime >= due) take(...close(current, current.open, due));
  for (let open = current.open; open && !fits(open, change.bytes, limits); open = current.open) {
    if (change.datetime > open.datetime) {
      take(...close(current, open, change.datetime));
    } else if (open.before.entries > 0) {
      take(...split(current, open));
    } else {
      take(...close(current, open, open.datetime));
    }
  }
  if (!current.open) take(...opened(current, change.datetime));
  return { partition: append(current, change), steps };
}

/**
 * Closes a list whose slot is over. Only for a journal whose clock was advanced to `now`: then no change can
 * still be dated before the end of that slot.
 * @param atOnce whatever the slot: the list ends at `now`, which has to be later than its last entry
 */
export function closeByTime(
  partition: Partition,
  now: string,
  slotMinutes: number,
  atOnce = false,
): { readonly partition: Partition; readonly steps: readonly Step[] } {
  const { open } = partition;
  const due = open && (atOnce ? now : endOfSlot(open.datetime, slotMinutes));
  if (!open || due === undefined || now < due || due <= open.datetime) return { partition, steps: [] };
  const [closed, step] = close(partition, open, due);
  return { partition: closed, steps: [step] };
}

function fits(open: OpenList, bytes: number, limits: Limits): boolean {
  return open.entries === 0 || (open.entries < limits.entries && open.bytes + bytes <= limits.bytes);
}

function close(
  partition: Partition,
  open: OpenList,
  until: string,
  kept: Extent = { entries: open.entries, bytes: open.bytes },
): [Partition, Step] {
  const { from, ordinal } = open;
  return [
    { ...partition, open: undefined, closedAt: until },
    { kind: 'close', from, ordinal, until, kept },
  ];
}

/** The entries of the latest datetime move to a list of their own. */
function split(partition: Partition, open: OpenList): [Partition, Step, Step] {
  const { datetime, before } = open;
  const [closed, closing] = close(partition, open, datetime, before);
  const [next, opening] = opened(closed, datetime);
  const carried: OpenList = {
    from: datetime,
    ordinal: next.ordinal,
    entries: open.entries - before.entries,
    bytes: open.bytes - before.bytes,
    datetime,
    before: { entries: 0, bytes: 0 },
  };
  return [{ ...next, open: carried }, closing, opening];
}

function opened(partition: Partition, datetime: string): [Partition, Step] {
  const from = partition.closedAt ?? datetime;
  const ordinal = from === partition.from ? partition.ordinal + 1 : 1;
  return [
    { ...partition, from, ordinal },
    { kind: 'open', from, ordinal },
  ];
}

function append(partition: Partition, change: { datetime: string; bytes: number }): Partition {
  const { open, from = change.datetime, ordinal } = partition;
  const entries = open?.entries ?? 0;
  const bytes = open?.bytes ?? 0;
  const sameMoment = open?.datetime === change.datetime;
  return {
    ...partition,
    open: {
      from,
      ordinal,
      entries: entries + 1,
      bytes: bytes + change.bytes,
      datetime: change.datetime,
      before: open && sameMoment ? open.before : { entries, bytes },
    },
  };
}
