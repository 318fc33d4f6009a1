import { earlier, later, utcDay } from '../../core/datetime.ts';
import type { Limits } from '../../core/sitemap.ts';
import type { FlatMarks, Mark } from '../disk/change-state.ts';

export const noMarks: FlatMarks = { entries: 0, bytes: 0, marks: [] };

/**
 * Takes in the next change.
 * @param firstPassSeq of the journal; undefined while the first complete pass goes on
 */
export function markChange(
  state: FlatMarks,
  change: { readonly datetime: string; readonly seq: number; readonly bytes: number },
  firstPassSeq: number | undefined,
  limits: Limits,
): FlatMarks {
  const fresh = state.latest?.datetime !== change.datetime;
  const latest: Mark =
    !fresh && state.latest
      ? state.latest
      : { datetime: change.datetime, afterSeq: change.seq - 1, entries: state.entries, bytes: state.bytes };
  const inFirstPass = firstPassSeq === undefined || change.seq <= firstPassSeq;
  return {
    entries: state.entries + 1,
    bytes: state.bytes + change.bytes,
    marks: fresh && isWorthAMark(state.marks.at(-1), latest, limits) ? [...state.marks, latest] : state.marks,
    latest,
    baseline: inFirstPass ? latest : (state.baseline ?? latest),
  };
}

/** The oldest place in the journal that a window could still begin at. */
export function firstMark({ marks, baseline, latest }: FlatMarks): Mark | undefined {
  return inOrder([...marks, ...(baseline ? [baseline] : []), ...(latest ? [latest] : [])])[0];
}

function inOrder(marks: readonly Mark[]): readonly Mark[] {
  return [...marks].sort((a, b) => a.afterSeq - b.afterSeq);
}

/** A hundredth of the limits is as precise as the window needs to be. */
function isWorthAMark(last: Mark | undefined, mark: Mark, limits: Limits): boolean {
  return (
    !last ||
    utcDay(last.datetime) !== utcDay(mark.datetime) ||
    mark.entries - last.entries >= limits.entries / 100 ||
    mark.bytes - last.bytes >= limits.bytes / 100
  );
}

export interface FlatWindow {
  /** All changes since, inclusive, are in the list. */
  readonly from: string;
  /** Where to begin to read; what is older than `from` is to be skipped. */
  readonly afterSeq: number;
}

/**
 * The window that ends now and begins at the latest of: `oldest`, the baseline, and where the limits put it;
 * but never after the latest change, so that the list is never empty. (Should the changes of the latest
 * moment alone exceed the limits, they are all in it nevertheless: an incomplete list would lose changes.)
 * @param limits with `bytes` reduced by head and tail
 */
export function flatWindow(state: FlatMarks, oldest: string, limits: Limits): FlatWindow | undefined {
  const { latest, baseline } = state;
  if (!latest || !baseline) return undefined;
  const floor = later(baseline.datetime, earlier(oldest, latest.datetime));
  const starts = inOrder([...state.marks, baseline, latest]);
  const first = starts.find((mark) => isWithin(state, mark, limits)) ?? latest;
  if (first.datetime > floor) return { from: first.datetime, afterSeq: first.afterSeq };
  const start = starts.findLast((mark) => mark.datetime <= floor) ?? first;
  return { from: floor, afterSeq: start.afterSeq };
}

/** Forgets the marks that no later window can begin at. */
export function pruneMarks(state: FlatMarks, oldest: string, limits: Limits): FlatMarks {
  const { marks } = state;
  const isPast = (mark: Mark) => mark.datetime <= oldest || !isWithin(state, mark, limits);
  const kept = marks.filter((mark, index) => {
    const next = marks[index + 1];
    return !next || !(isPast(mark) && isPast(next));
  });
  return { ...state, marks: kept };
}

function isWithin(state: FlatMarks, mark: Mark, limits: Limits): boolean {
  return state.entries - mark.entries <= limits.entries && state.bytes - mark.bytes <= limits.bytes;
}
