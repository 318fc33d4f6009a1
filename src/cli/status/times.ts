import { addSeconds, toIso, toMilliseconds } from '../../core/datetime.ts';
import type { SourceOverview } from '../../server/deps.ts';
import { createReader } from '../../server/words/reader.ts';

/** How old what is known of a source is, and how far its publication lags. */
export interface Times {
  readonly now: string;
  /** Since the last success. */
  readonly ageSeconds: number | undefined;
  /** The oldest change that is not in all lists; none: 0; undefined: a set of it is not published yet. */
  readonly lagSeconds: number | undefined;
  /** Paths of its sets of which there are no documents, as after a backup was put back onto an empty disk. */
  readonly unpublished: readonly string[];
}

export function timesOf(
  { lastSuccessAt, harvesting }: SourceOverview,
  lag: number | undefined,
  unpublished: readonly string[],
  now: number,
): Times {
  const since = (at: number) => Math.max(0, Math.round((now - at) / 1000));
  const isWhole = !harvesting && unpublished.length === 0;
  return {
    now: toIso(new Date(now)),
    ageSeconds: lastSuccessAt === undefined ? undefined : since(toMilliseconds(lastSuccessAt)),
    // None is for what is in all lists: a change of this very second waits, too.
    lagSeconds: lag !== undefined ? Math.max(1, since(lag)) : isWhole ? 0 : undefined,
    unpublished,
  };
}

const reader = createReader('en');

export function describeTurns(overview: SourceOverview & Times): string {
  const { lagSeconds, unpublished, harvesting, now } = overview;
  const next = describeNext(overview);
  if (lagSeconds === undefined && harvesting) return `${next}; nothing is published yet`;
  if (lagSeconds === undefined)
    return `${next}; not published yet: ${unpublished.join(', ')} (\`rsbridge publish\`, or \`rsbridge serve\`, does it)`;
  if (lagSeconds === 0) return `${next}; everything is published`;
  const since = addSeconds(now, -lagSeconds);
  return `${next}; changes since ${since} (${reader.age(since, now)}) are not in all lists yet`;
}

const overdueSeconds = 120;

/** One that should have begun a while ago, and was not put off by anybody, waits for a process. */
function describeNext({ nextRunAt, word, isUnderWay, now }: SourceOverview & Times): string {
  if (nextRunAt === undefined) return 'no run is planned';
  const when = `${nextRunAt} (${reader.age(nextRunAt, now)})`;
  if (word === 'paused' || nextRunAt > now) return `next run ${when}`;
  if (isUnderWay) return 'the next run is planned when this one has ended';
  if (nextRunAt >= addSeconds(now, -overdueSeconds)) return `due since ${when}`;
  return `the run of ${when} waits: rsbridge serve does not run, or is at others (rsbridge healthcheck)`;
}
