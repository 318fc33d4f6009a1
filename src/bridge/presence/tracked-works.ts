import type { NewWork, TrackedWork, WorkState, WorkTracker } from '../../core/under-way.ts';
import type { Told } from '../../store/presence/under-way.ts';

/** What this process is at, as far as somebody who looks on should know. */
export interface TrackedWorks extends WorkTracker {
  /** What has to be told anew. @param at by the clock of the database, in milliseconds */
  news(at: number): { readonly told: readonly Told[]; readonly ended: readonly number[] };
  /** All of it was told. */
  heard(news: { readonly told: readonly Told[]; readonly ended: readonly number[] }): void;
}

interface Work extends NewWork {
  readonly number: number;
  /** By the clock of this process. */
  readonly began: number;
  /** Of the source, before. */
  readonly requests: number | undefined;
  state: WorkState;
  /** How much was done when, the oldest first: what the rate is made of. */
  samples: { readonly at: number; readonly done: number }[];
  isNew: boolean;
  /** When somebody was told of it last, and of how many requests. */
  told?: { readonly at: number; readonly requests: number | undefined };
  /** Somebody was told of it. */
  isKnown: boolean;
}

/** What is over sooner nobody is told of. */
const worthTellingMs = 1000;
/** Where nothing is new: the rate is another one all the same. */
const toldAgainMs = 10_000;
const sampleEveryMs = 5000;
const samplesKept = 12;

/**
 * @param requestsOf a source, so far, to its repository
 * @param now of this process, in milliseconds
 */
export function trackWorks(requestsOf: (source: string) => number | undefined, now = Date.now): TrackedWorks {
  const works = new Map<number, Work>();
  const ended = new Set<number>();
  let numbers = 0;

  function begin(work: NewWork): TrackedWork {
    numbers += 1;
    const number = numbers;
    const one: Work = {
      ...work,
      ...{ number, began: now(), requests: requestsOf(work.source) },
      ...{ state: { phase: 'beginning' }, samples: [], isNew: true, isKnown: false },
    };
    works.set(number, one);
    return {
      tell: (state) => {
        one.state = { ...one.state, ...state };
        one.isNew = true;
        sample(one, now());
      },
      requests: () => requestsSince(one, requestsOf(one.source)),
      end: () => {
        works.delete(number);
        if (one.isKnown) ended.add(number);
      },
    };
  }

  return {
    begin,
    news: (at) => {
      const own = now();
      const due = [...works.values()].filter(
        (one) =>
          own - one.began >= worthTellingMs && (one.isNew || isStale(one, requestsOf(one.source), own)),
      );
      return { told: due.map((one) => toldOf(one, requestsOf(one.source), { own, at })), ended: [...ended] };
    },
    heard: (news) => {
      for (const number of news.ended) ended.delete(number);
      for (const { number } of news.told) {
        const work = works.get(number);
        // It came to its end while it was told of.
        if (!work) ended.add(number);
        else
          Object.assign(work, {
            isKnown: true,
            isNew: false,
            told: { at: now(), requests: requestsOf(work.source) },
          });
      }
    },
  };
}

function requestsSince(work: Pick<Work, 'requests'>, now: number | undefined): number | undefined {
  return now === undefined || work.requests === undefined ? undefined : now - work.requests;
}

function isStale({ told }: Work, requests: number | undefined, at: number): boolean {
  return told === undefined || told.requests !== requests || at - told.at >= toldAgainMs;
}

function sample(work: Work, at: number): void {
  const { done } = work.state;
  if (done === undefined) return;
  const last = work.samples.at(-1);
  // Another thing is counted now.
  if (last && done < last.done) work.samples = [];
  if (last && done >= last.done && at - last.at < sampleEveryMs) return;
  work.samples = [...work.samples, { at, done }].slice(-samplesKept);
}

function toldOf(
  { number, kind, source, set, state, began, samples, ...work }: Work,
  requests: number | undefined,
  { own, at }: { readonly own: number; readonly at: number },
): Told {
  const { phase = 'beginning', run, done = 0, expected, window } = state;
  const what = state.kind ?? kind;
  const [first] = samples;
  const spanMs = first ? own - first.at : 0;
  return {
    ...{ number, kind: what, source, set, phase, run, done, window },
    // What was announced may be less than what comes.
    expected: expected !== undefined && expected >= done ? expected : undefined,
    perMinute:
      first && spanMs >= sampleEveryMs ? Math.round(((done - first.done) * 60_000) / spanMs) : undefined,
    requests: requestsSince(work, requests),
    began: at - (own - began),
    seen: at,
  };
}
