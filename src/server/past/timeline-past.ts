import { exactMemento, type Selection, selectMemento, type Timeline } from '../../core/time/timeline.ts';
import type { Past, PastSelection } from '../past.ts';

/** All of a past but what it is of, and how it is sent. */
export function createTimelinePast(timeline: Timeline): Omit<Past, 'uri' | 'withheld' | 'send' | 'isFinal'> {
  const { mementos, gaps, dropped } = timeline;
  const [first, last] = [mementos[0]?.datetime, mementos.at(-1)?.datetime];
  const toDatetimes = ({ selected, prev, next }: Selection): PastSelection => ({
    selected: mementos[selected ?? -1]?.datetime,
    prev: mementos[prev ?? -1]?.datetime,
    next: mementos[next ?? -1]?.datetime,
  });
  return {
    span: first === undefined || last === undefined ? undefined : { count: mementos.length, first, last },
    gaps,
    select: async (at) => toDatetimes(selectMemento(timeline, at)),
    exact: async (datetime) => toDatetimes(exactMemento(timeline, datetime)),
    list: async (offset, limit) => mementos.slice(offset, offset + limit).map(({ datetime }) => datetime),
    isDropped: (datetime) => dropped.includes(datetime),
  };
}
