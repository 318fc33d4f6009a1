import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { alertKinds } from '../../core/alerts/alert.ts';
import { later, toMilliseconds } from '../../core/datetime.ts';
import { isDatedAhead } from '../../core/time/dated-ahead.ts';
import { nextDue } from '../../core/time/next-due.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import type {
  AlertMeasures,
  DiskMeasures,
  Measures,
  QueueMeasures,
  SourceMeasures,
} from '../../server/measures.ts';
import { countMessages } from '../../store/alerts/outbox.ts';
import { readAlertStates } from '../../store/alerts/states.ts';
import { countWithheldOf } from '../../store/files/withheld-files.ts';
import { listTopics } from '../../store/following/followed-topics.ts';
import { countNotifications } from '../../store/notifications/inbox.ts';
import { type PushState, readPushState } from '../../store/push/state.ts';
import { type DatabaseSize, readDatabaseSize } from '../../store/reading/database-size.ts';
import { datesOfChanges, keyOf, type Unpublished } from '../../store/reading/unpublished.ts';
import type { DueState } from '../../store/runs/due.ts';
import type { Run } from '../../store/runs/runs.ts';
import { countVanishedOf } from '../../store/runs/vanished.ts';
import { type JournalState, readJournals } from '../../store/sources/journal.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { plansOf } from '../work/due-plans.ts';
import { lastBackupAt } from './backups.ts';
import type { KnownOfAll } from './overview.ts';

/** Where nothing tells since when a source is known. */
const startedAt = Date.now() - Math.round(process.uptime() * 1000);

const noneWithheld = { refused: 0, gone: 0, atPrivateAddresses: 0 };

export interface MeasureDeps extends StoredBridge {
  /** What the database takes, perhaps of a moment ago. */
  readonly sizeOfDatabase?: () => Promise<DatabaseSize>;
}

/** What is measured of all sources and of the installation. */
export async function readMeasures(deps: MeasureDeps, known: KnownOfAll): Promise<Measures> {
  const { config, database, clock } = deps;
  const lags = await readLags(deps, known.sets);
  const due = new Map(
    known.due.filter(({ kind }) => kind === 'harvest').map((state) => [state.source, state]),
  );
  const suspects = [...known.facts.values()].filter((facts) => facts.vanished).map(({ stored }) => stored.id);
  const vanished = await countVanishedOf(database.reader, suspects);
  const withheld = await countWithheldOf(
    database.reader,
    [...known.facts.values()].map(({ stored }) => stored.id),
  );
  const periods = periodsOf(config);
  const now = clock.now().getTime() - database.aheadMs;
  const sources = Object.keys(config.sources).map((name): SourceMeasures => {
    const facts = known.facts.get(name);
    const planned = due.get(name);
    const success = facts?.lastSuccessAt;
    const isKnown = success !== undefined && !isDatedAhead(success, now);
    return {
      name,
      goodSince: isKnown ? toMilliseconds(success) : Math.min(planned?.plannedAt ?? startedAt, now),
      failures: planned?.attempts ?? 0,
      unreadable: facts?.unreadable ?? 0,
      vanished: facts?.vanished ? vanished(facts.stored.id).items : 0,
      withheld: facts ? withheld(facts.stored.id) : noneWithheld,
      periodMs: deps.pauseOf(name) ? undefined : periods.get(name),
      lastRun: durationOf(facts?.run),
      unpublishedSince: lags.get(name),
    };
  });
  const size = await (deps.sizeOfDatabase ?? (() => readDatabaseSize(database, config.database)))();
  return {
    sources,
    queue: queueOf(deps, known.due, now),
    databaseBytes: size.bytes,
    walBytes: size.walBytes,
    disks: await readDisks(deps),
    alerts: await readAlerts(deps),
    push: await readPush(deps),
    notified: await countNotifications(deps.database.reader),
    followed: await listTopics(deps.database.reader),
  };
}

async function readAlerts({ database, config }: StoredBridge): Promise<AlertMeasures> {
  const { counted, waiting } = await countMessages(database.reader);
  const active = new Map<string, number>();
  for (const { kind, phase } of await readAlertStates(database.reader))
    if (phase === 'told' || phase === 'clearing') active.set(kind, (active.get(kind) ?? 0) + 1);
  return {
    ...{ counted, waiting },
    active: alertKinds.map((kind) => ({ kind, count: active.get(kind) ?? 0 })),
    backupAt: await lastBackupAt({ database, config }),
  };
}

async function readPush({ config, database, clock }: StoredBridge): Promise<PushState | undefined> {
  const state = await readPushState(database.reader, clock.now().getTime() - database.aheadMs);
  const isUsed = config.push.hub || config.push.externalHubs.length > 0;
  return isUsed || state.subscriptions.length > 0 || state.counted.length > 0 ? state : undefined;
}

let planned: { readonly sources: object; readonly periods: ReadonlyMap<string, number> } | undefined;

/** Of what is new, or else of everything; made anew for other sources alone. */
function periodsOf(config: StoredBridge['config']): ReadonlyMap<string, number> {
  if (planned?.sources === config.sources) return planned.periods;
  const periods = new Map<string, number>();
  for (const { source, kind, schedule } of plansOf(config)) {
    const isBetter = kind === 'harvest' || (kind === 'full' && !periods.has(source));
    const turn = schedule && source !== '' && isBetter ? nextDue(schedule, Date.now()) : undefined;
    const next = turn === undefined || !schedule ? undefined : nextDue(schedule, turn);
    if (turn !== undefined && next !== undefined) periods.set(source, next - turn);
  }
  planned = { sources: config.sources, periods };
  return periods;
}

function durationOf(run: Run | undefined): SourceMeasures['lastRun'] {
  if (run?.endedAt === undefined) return undefined;
  return { mode: run.mode, seconds: (toMilliseconds(run.endedAt) - toMilliseconds(run.startedAt)) / 1000 };
}

/**
 * By source or set across sources: since when a change is not in all its lists. Those of which nothing is published yet are
 * left out: their first harvest may take days.
 */
export async function readLags(
  { database, jointSets, setsOf, config }: StoredBridge,
  published: readonly PublishedSet[],
): Promise<ReadonlyMap<string, number>> {
  const journals = await readJournals(database.reader);
  const known = new Map(published.map(({ path, journal }) => [path, journal]));
  const behind = new Map<string, { readonly journal: JournalState; readonly next: Unpublished }>();
  for (const { path, source } of [
    ...jointSets(),
    ...Object.keys(config.sources).flatMap((name) => setsOf(name)),
  ]) {
    const [journal, place] = [journals.get(source), known.get(path)];
    if (!journal || !place || journal.firstPassSeq === undefined) continue;
    // Of another journal nothing of this one is published.
    const seq = place.id === journal.id ? place.seq : 0;
    const before = behind.get(source)?.next.seq ?? Number.POSITIVE_INFINITY;
    if (seq < journal.seq && seq + 1 < before)
      behind.set(source, { journal, next: { sourceId: journal.sourceId, seq: seq + 1 } });
  }
  if (behind.size === 0) return new Map();
  const dates = await datesOfChanges(
    database.reader,
    [...behind.values()].map(({ next }) => next),
  );
  return new Map(
    [...behind].map(([source, { journal, next }]) => {
      const at = dates.get(keyOf(next)) ?? journal.at;
      // What a set took up before it began anew was published then.
      return [source, toMilliseconds(later(at, journal.beganAt ?? at))];
    }),
  );
}

type Queued = Omit<QueueMeasures, 'kind'>;
const nothingQueued: Queued = {
  ...{ waiting: 0, running: 0, failing: 0, waitingSince: undefined, nextAt: undefined },
};

/** Of what is planned and not paused; who publishes does so for ever. */
function queueOf(
  { config, pauseOf }: StoredBridge,
  due: readonly DueState[],
  now: number,
): readonly QueueMeasures[] {
  const queue = new Map<string, { -readonly [Key in keyof Queued]: Queued[Key] }>();
  for (const { source, kind, dueAt, attempts, isHeld } of due) {
    const isOurs = source === '' || Object.hasOwn(config.sources, source) || kind.startsWith('removal');
    if (kind === 'publication' || !isOurs) continue;
    const one = queue.get(kind) ?? { ...nothingQueued };
    queue.set(kind, one);
    if (attempts > 0) one.failing += 1;
    if (isHeld) one.running += 1;
    else if (dueAt !== undefined && dueAt > now) one.nextAt = Math.min(one.nextAt ?? dueAt, dueAt);
    else if (dueAt !== undefined && pauseOf(source) === undefined) {
      one.waiting += 1;
      one.waitingSince = Math.min(one.waitingSince ?? dueAt, dueAt);
    }
  }
  return [...queue].map(([kind, one]) => ({ kind, ...one }));
}

/** Where nobody can tell, as on a disk that is gone, there is no number. */
export async function readDisks({ config }: Pick<StoredBridge, 'config'>): Promise<readonly DiskMeasures[]> {
  const { database, directory } = config;
  const places = [
    ['data', directory] as const,
    ...(database.client === 'sqlite' ? [['database', dirname(database.file)] as const] : []),
  ];
  const disks = await Promise.allSettled(
    places.map(async ([place, path]): Promise<DiskMeasures> => {
      const { bavail, blocks, bsize } = await statfs(path);
      return { place, free: bavail * bsize, total: blocks * bsize };
    }),
  );
  return disks.flatMap((disk) => (disk.status === 'fulfilled' ? [disk.value] : []));
}
