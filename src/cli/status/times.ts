import { addSeconds, toIso, toMilliseconds } from '../../core/datetime.ts';
import { isDatedAhead } from '../../core/time/dated-ahead.ts';
import type { SourceOverview } from '../../server/deps.ts';
import { createReader } from '../../server/words/reader.ts';
import type { DueState } from '../../store/runs/due.ts';
import type { Pause } from '../../store/sources/pauses.ts';

/** How old what is known of a source is, and how far its publication lags. */
export interface Times {
  readonly now: string;
  /** Since the last success; undefined: there was none, or its time is yet to come. */
  readonly ageSeconds: number | undefined;
  /** The oldest change that is not in all lists; none: 0; undefined: a set of it is not published yet. */
  readonly lagSeconds: number | undefined;
  /** Paths of its sets of which there are no documents, as after a backup was put back onto an empty disk. */
  readonly unpublished: readonly string[];
  readonly pause: Pause | undefined;
  /** The next run reads everything; what is new may be asked for at another time. */
  readonly nextIsFull: boolean;
}

export function timesOf(
  { lastSuccessAt, harvesting }: SourceOverview,
  lag: number | undefined,
  unpublished: readonly string[],
  now: number,
  turns: Pick<Times, 'pause' | 'nextIsFull'>,
): Times {
  const since = (at: number) => Math.max(0, Math.round((now - at) / 1000));
  const isWhole = !harvesting && unpublished.length === 0;
  return {
    now: toIso(new Date(now)),
    ageSeconds:
      lastSuccessAt === undefined || isDatedAhead(lastSuccessAt, now)
        ? undefined
        : since(toMilliseconds(lastSuccessAt)),
    // None is for what is in all lists: a change of this very second waits, too.
    lagSeconds: lag !== undefined ? Math.max(1, since(lag)) : isWhole ? 0 : undefined,
    unpublished,
    ...turns,
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
function describeNext({ nextRunAt, isUnderWay, pause, nextIsFull, now }: SourceOverview & Times): string {
  if (pause && pause.until === undefined && !isUnderWay) return 'no run until it is resumed';
  if (nextRunAt === undefined) return 'no run is planned';
  const when = `${nextRunAt} (${reader.age(nextRunAt, now)})`;
  if (pause && !isUnderWay) return `no run until the pause ends; then the next one, ${when}`;
  if (nextRunAt > now) return `next run${nextIsFull ? ', a full harvest,' : ''} ${when}`;
  if (isUnderWay) return 'the next run is planned when this one has ended';
  if (nextRunAt >= addSeconds(now, -overdueSeconds)) return `due since ${when}`;
  return `the run of ${when} waits: rsbridge serve does not run, or is at others (rsbridge healthcheck)`;
}

/** Sources of which everything is read next, before what is new is asked for. */
export function fullNext(due: readonly DueState[]): ReadonlySet<string> {
  const timeOf = new Map(due.map(({ source, kind, dueAt }) => [`${kind} ${source}`, dueAt]));
  return new Set(
    due.flatMap(({ source, kind, dueAt }) => {
      if (kind !== 'full' || dueAt === undefined) return [];
      return dueAt < (timeOf.get(`harvest ${source}`) ?? Number.POSITIVE_INFINITY) ? [source] : [];
    }),
  );
}
