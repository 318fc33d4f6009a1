import { exactMemento, type Selection, selectMemento, type Timeline } from '../../core/time/timeline.ts';
import type { Past, PastSelection } from '../past.ts';

/** All of a past but what it is of, and how it is sent. */
export function createTimelinePast(timeline: Timeline): Omit<Past, 'uri' | 'withheld' | 'send' | 'isFinal'> {
  const { mementos, gaps, dropped } = timeline;
  return {
    span: spanOf(timeline),
    gaps,
    select: async (at) => selectIn(timeline, at),
    exact: async (datetime) => toDatetimes(timeline, exactMemento(timeline, datetime)),
    list: async (offset, limit) => mementos.slice(offset, offset + limit).map(({ datetime }) => datetime),
    isDropped: (datetime) => dropped.includes(datetime),
  };
}

export function spanOf({ mementos }: Timeline): Past['span'] {
  const [first, last] = [mementos[0]?.datetime, mementos.at(-1)?.datetime];
  return first === undefined || last === undefined ? undefined : { count: mementos.length, first, last };
}

/** @param at without it: the latest there is (ME-05) */
export function selectIn(timeline: Timeline, at?: string): PastSelection {
  return toDatetimes(timeline, selectMemento(timeline, at));
}

function toDatetimes({ mementos }: Timeline, { selected, prev, next }: Selection): PastSelection {
  return {
    selected: mementos[selected ?? -1]?.datetime,
    prev: mementos[prev ?? -1]?.datetime,
    next: mementos[next ?? -1]?.datetime,
  };
}
