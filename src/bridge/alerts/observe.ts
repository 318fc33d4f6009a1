import {
  type AlertFacts,
  type AlertKind,
  type AlertState,
  type AlertSubject,
  alertKinds,
  type Finding,
  keyOfAlert,
} from '../../core/alerts/alert.ts';
import type { Observed } from '../../core/alerts/decide.ts';
import { followGrowth, hasGrown } from '../../core/alerts/growth.ts';
import { overdueAt } from '../../core/alerts/overdue.ts';
import { toMilliseconds } from '../../core/datetime.ts';
import { isDatedAhead } from '../../core/time/dated-ahead.ts';
import type { Schedule } from '../../core/time/next-due.ts';
import { placeOfSource } from '../../harvest/http/host-gate.ts';
import type { WatchedSource } from '../../store/alerts/watched-sources.ts';
import type { RestingHost } from '../../store/hosts/host-news.ts';
import type { SourceFacts } from '../../store/reading/source-facts.ts';
import type { DueState } from '../../store/runs/due.ts';
import { lastBackupAt } from '../state/backups.ts';
import { readDisks, readLags } from '../state/measures.ts';
import { type BegunHarvest, begunHarvests, readKnown, refusedPass } from '../state/overview.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { plansOf } from '../work/due-plans.ts';

/** What is looked at in a round. */
export interface Observation extends Observed {
  readonly watched: { readonly changed: readonly WatchedSource[]; readonly left: readonly string[] };
}

export interface BeforeRound {
  readonly states: readonly AlertState[];
  readonly watched: ReadonlyMap<string, WatchedSource>;
  /** Nobody has looked for long: what lies in between is held against no source. */
  readonly beginsAnew: boolean;
  /** In milliseconds, by the clock of the database. */
  readonly now: number;
}

/** A run that has written nothing for longer stands still. */
const livelyMs = 3_600_000;
/** What was told stays so until it is better by this. */
const hysteresis = 1.1;
const dayMs = 86_400_000;

/**
 * Everything that is wrong now. Throws where the database cannot be asked: of such a round nothing is learnt.
 */
export async function observe(bridge: StoredBridge, before: BeforeRound): Promise<Observation> {
  const { config } = bridge;
  const { now, states } = before;
  const known = await readKnown(bridge);
  const lags = await readLags(bridge, known.sets);
  const disks = await findFullDisks(bridge, states, now);
  const watch = watchSources(bridge, before, known.facts);
  const due = new Map(
    known.due.filter(({ kind }) => kind === 'harvest').map((state) => [state.source, state]),
  );
  const begun = begunHarvests(known.works);
  const rests = new Map(known.resting.map((rest) => [rest.host, rest]));
  const ofSources = [...watch.current.values()].flatMap((watched) => {
    const facts = known.facts.get(watched.source);
    const settings = config.sources[watched.source];
    const rest = settings && rests.get(placeOfSource(settings));
    return findingsOf(bridge, {
      ...{ watched, facts, due: due.get(watched.source), begun: begun.get(watched.source), rest, now },
    });
  });
  const queued = ofSources.flatMap((found) => ('waitsSince' in found ? [found.waitsSince] : []));
  const tried = ofSources.filter((found): found is UnderWay => 'lastGoodAt' in found);
  const findings = [
    ...ofSources.filter((found): found is Finding => 'facts' in found),
    ...queueOf(queued),
    ...lagsOf(bridge, lags, now),
    ...disks.findings,
    ...(await findOldBackup(bridge, now)),
  ];
  const unseen = new Set<AlertKind>(['database', ...(disks.looked ? [] : (['disk'] as const))]);
  const joint = new Set(bridge.jointSets().map(({ source }) => source));
  return {
    findings,
    looked: new Set(alertKinds.filter((kind) => !unseen.has(kind))),
    underWay: new Map(tried.map((one) => [keyOfAlert(one), one.lastGoodAt])),
    isWatched: ({ kind, subject }) => {
      if (kind === 'publication') return joint.has(subject) || Object.hasOwn(config.sources, subject);
      return !ofOneSource.has(kind) || watch.current.has(subject);
    },
    watched: watch,
  };
}

const ofOneSource: ReadonlySet<AlertKind> = new Set(['harvest', 'deletions', 'files', 'records']);

interface Watch {
  readonly current: ReadonlyMap<string, WatchedSource>;
  readonly changed: readonly WatchedSource[];
  readonly left: readonly string[];
}

/** A source that is paused is left, and watched anew when it is resumed. */
function watchSources(
  { config, pauseOf }: StoredBridge,
  { watched, beginsAnew, now }: BeforeRound,
  facts: ReadonlyMap<string, SourceFacts>,
): Watch {
  const current = new Map<string, WatchedSource>();
  const changed: WatchedSource[] = [];
  for (const source of Object.keys(config.sources)) {
    if (pauseOf(source)) continue;
    const known = watched.get(source);
    const since = known && !beginsAnew ? Math.min(known.since, now) : now;
    const records = followGrowth(known?.records, facts.get(source)?.unreadable ?? 0, now);
    const next = { source, since, records };
    current.set(source, next);
    if (known?.since !== since || known.records !== records) changed.push(next);
  }
  const left = [...watched.keys()].filter((source) => !current.has(source));
  return { current, changed, left };
}

interface OneSource {
  readonly watched: WatchedSource;
  readonly facts: SourceFacts | undefined;
  readonly due: DueState | undefined;
  readonly begun: BegunHarvest | undefined;
  /** Of its host, which is not asked for now. */
  readonly rest: RestingHost | undefined;
  readonly now: number;
}

/** It is overdue through nobody's fault: there is no place free. */
interface Waiting {
  readonly waitsSince: number;
}

/** It is being read, or will be read on: how that ends nobody knows. */
interface UnderWay extends AlertSubject {
  readonly lastGoodAt: number | undefined;
}

function findingsOf(bridge: StoredBridge, one: OneSource): readonly (Finding | Waiting | UnderWay)[] {
  const { config } = bridge;
  const { watched, facts } = one;
  const { source: subject } = watched;
  const title = config.sources[subject]?.title ?? facts?.stored.info?.name ?? subject;
  const of = { subject, title };
  const refused = facts && refusedPass(facts);
  const growth = watched.records;
  return [
    ...missedHarvest(bridge, of, one),
    ...(refused?.error?.code === 'deletions-refused'
      ? [
          {
            ...{ kind: 'deletions' as const, ...of },
            since: toMilliseconds(refused.endedAt ?? refused.updatedAt),
            facts: { message: refused.error.message },
          },
        ]
      : []),
    ...(facts?.fuseAt === undefined
      ? []
      : [{ kind: 'files' as const, ...of, since: toMilliseconds(facts.fuseAt), facts: {} }]),
    ...(growth && hasGrown(growth, config.alerts.growth)
      ? [
          {
            ...{ kind: 'records' as const, ...of },
            since: growth.grewAt ?? one.now,
            facts: { from: growth.base, to: growth.last },
          },
        ]
      : []),
  ];
}

function missedHarvest(
  bridge: StoredBridge,
  of: Pick<Finding, 'subject' | 'title'>,
  { watched, facts, due, begun, rest, now }: OneSource,
): readonly (Finding | Waiting | UnderWay)[] {
  const { run, stored, lastSuccessAt } = facts ?? {};
  const ahead = lastSuccessAt !== undefined && isDatedAhead(lastSuccessAt, now) ? lastSuccessAt : undefined;
  const good = lastSuccessAt === undefined || ahead ? undefined : toMilliseconds(lastSuccessAt);
  const unended: readonly UnderWay[] =
    run?.state === 'running' || run?.state === 'interrupted'
      ? [{ kind: 'harvest', subject: of.subject, lastGoodAt: good }]
      : [];
  // However long that takes.
  if (run?.state === 'running' && now - toMilliseconds(run.updatedAt) < livelyMs) return unended;
  const deadline = deadlineOf(bridge, of.subject, Math.max(good ?? 0, watched.since));
  const isOverdue = deadline !== undefined && now > deadline;
  const attempts = due?.attempts ?? 0;
  const error = stored?.trouble ?? (run?.state === 'succeeded' ? undefined : run?.error);
  const isFailing = attempts > 0 || error !== undefined;
  const waitsSince = due && !due.isHeld && attempts === 0 ? due.dueAt : undefined;
  if (!isFailing && waitsSince !== undefined && waitsSince <= now)
    // A first harvest waits for as long as it takes: whoever adds eight hundred sources knows.
    return [...unended, ...(isOverdue && good !== undefined ? [{ waitsSince }] : [])];
  if (!isOverdue && !isFailing) return unended;
  return [
    {
      ...{ kind: 'harvest', ...of },
      since: Math.min(good ?? due?.plannedAt ?? watched.since, now),
      facts: {
        ...(ahead ? { ahead: toMilliseconds(ahead) } : good === undefined ? { never: 1 } : {}),
        ...(error ? { reason: error.message, code: error.code } : {}),
        ...(rest ? restFacts(rest) : begun?.isUnanswered ? awaited(bridge, of.subject, begun) : {}),
      },
      isEarly: !isOverdue,
    },
  ];
}

/** Nobody asks there, whatever has begun. */
function restFacts({ host, until, reason }: RestingHost): AlertFacts {
  return { resting: host, restsUntil: toMilliseconds(until), ...(reason ? { restsFor: reason } : {}) };
}

/** The server that a harvest waits for, and since when. */
function awaited({ config }: StoredBridge, source: string, { at }: BegunHarvest): AlertFacts {
  const url = config.sources[source]?.url;
  return url === undefined ? {} : { host: new URL(url).host, askedAt: toMilliseconds(at) };
}

/** By source: for as long as its last success and its schedule are the same. */
const deadlines = new WeakMap<
  object,
  Map<string, { readonly of: string; readonly at: number | undefined }>
>();

function deadlineOf({ config }: StoredBridge, source: string, good: number): number | undefined {
  const schedules = schedulesOf(config);
  const known = deadlines.get(schedules) ?? new Map();
  deadlines.set(schedules, known);
  const of = `${good} ${config.alerts.missedPeriods}`;
  const before = known.get(source);
  if (before?.of === of) return before.at;
  const schedule = schedules.get(source);
  const at = schedule && overdueAt(schedule, good, config.alerts.missedPeriods);
  known.set(source, { of, at });
  return at;
}

let planned: { readonly sources: object; readonly schedules: ReadonlyMap<string, Schedule> } | undefined;

/** When each is harvested: what is new, or else everything. Made anew for other sources alone. */
function schedulesOf(config: StoredBridge['config']): ReadonlyMap<string, Schedule> {
  if (planned?.sources === config.sources) return planned.schedules;
  const schedules = new Map<string, Schedule>();
  for (const { source, kind, schedule } of plansOf(config)) {
    const isBetter = kind === 'harvest' || (kind === 'full' && !schedules.has(source));
    if (schedule && source !== '' && isBetter) schedules.set(source, schedule);
  }
  planned = { sources: config.sources, schedules };
  return schedules;
}

function queueOf(waiting: readonly number[]): readonly Finding[] {
  if (waiting.length === 0) return [];
  return [
    {
      ...{ kind: 'queue', subject: '', title: '' },
      since: Math.min(...waiting),
      facts: { sources: waiting.length },
    },
  ];
}

function lagsOf(
  { config, jointSets }: StoredBridge,
  lags: ReadonlyMap<string, number>,
  now: number,
): readonly Finding[] {
  const limit = config.alerts.lagMinutes * 60_000;
  const titles = new Map(jointSets().map(({ source, title }) => [source, title]));
  return [...lags]
    .filter(([, since]) => now - since > limit)
    .map(([subject, since]) => ({
      ...{ kind: 'publication', subject, since, facts: {} },
      title: titles.get(subject) ?? config.sources[subject]?.title ?? subject,
    }));
}

async function findFullDisks(
  bridge: StoredBridge,
  states: readonly AlertState[],
  now: number,
): Promise<{ readonly findings: readonly Finding[]; readonly looked: boolean }> {
  const share = bridge.config.alerts.diskFree;
  const expected = bridge.config.database.client === 'sqlite' ? 2 : 1;
  const disks = await readDisks(bridge);
  const told = new Set(states.map(keyOfAlert));
  const findings = disks.flatMap(({ place, free, total }): Finding[] => {
    const finding = { kind: 'disk', subject: place, title: place } as const;
    const limit = share * (told.has(keyOfAlert(finding)) ? hysteresis : 1) * total;
    return free < limit ? [{ ...finding, since: now, facts: { free, total } }] : [];
  });
  return { findings, looked: disks.length === expected };
}

/** Where a backup is known at all. */
async function findOldBackup(bridge: StoredBridge, now: number): Promise<readonly Finding[]> {
  const { backupDays } = bridge.config.alerts;
  const since = backupDays === false ? undefined : await lastBackupAt(bridge);
  if (since === undefined || backupDays === false || now - since <= backupDays * dayMs) return [];
  return [{ kind: 'backup', subject: '', title: '', since, facts: {} }];
}
