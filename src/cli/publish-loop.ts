import { toIso, utcDay } from '../core/datetime.ts';
import { describeError, isBridgeError } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { type JournalState, readJournals } from '../store/journal.ts';
import { latestRun } from '../store/runs.ts';
import type { Bridge } from './bridge.ts';

/**
 * Keeps the published documents level with the journals, whoever writes those: this process, another, or a
 * `rsbridge harvest` beside it. Looking costs one small query, however many sources there are.
 */
export interface PublishLoop {
  /** Take a new snapshot of the Resource Lists of these sets with the next round. */
  renew(sets: readonly ResourceSet[]): void;
  /** Ends when what is being published is. */
  stop(): Promise<void>;
}

const pauseMs = 400;
/** Sets that are published side by side, of hundreds perhaps. */
const maxAtOnce = 8;
const pauseAfterFailureMs = 5000;
const pauseWhileFirstPassMs = 1000;
/** A Resource List of one document is renewed after every change, but not for more than this share of the time. */
const renewalShare = 0.02;
const smallList = 50_000;

/** How far one set is published, as far as this process knows; times in milliseconds since the epoch. */
interface Progress {
  readonly set: ResourceSet;
  busy: boolean;
  /** Of the journal, in the Change Lists; -1 before the first round. */
  seq: number;
  day: string;
  /** Of the journal, in the Resource List; undefined for long lists, which keep to their schedule. */
  listSeq: number | undefined;
  listDue: boolean;
  /** Before this a stale Resource List stays. */
  renewAfter: number;
  /** When the flat Change List, held back so as not to be written all the time, is due. */
  flatAt: number;
  /** After a failure, or while there is nothing to publish yet. */
  notBefore: number;
}

export function startPublishLoop(bridge: Bridge, signal: AbortSignal): PublishLoop {
  const { log, clock, database } = bridge;
  const all: readonly Progress[] = bridge.sets().map(begin);
  const running = new Set<Promise<void>>();
  const stopped = new AbortController();
  const ending = AbortSignal.any([stopped.signal, signal]);

  async function follow(): Promise<void> {
    while (!ending.aborted) {
      await look().catch((error: unknown) =>
        log.error({ reason: describeError(error) }, 'the journals cannot be read'),
      );
      await clock.sleep(pauseMs, ending).catch(() => undefined);
    }
    await Promise.all(running);
  }

  async function look(): Promise<void> {
    const journals = await readJournals(database.reader);
    const now = clock.now().getTime();
    for (const progress of all) {
      const journal = journals.get(progress.set.source);
      if (running.size >= maxAtOnce) return;
      if (journal && !progress.busy && now >= progress.notBefore && isDue(progress, journal, now)) {
        start(progress, journal);
      }
    }
  }

  /** Sets are published side by side: a long snapshot of one does not hold up the changes of another. */
  function start(progress: Progress, journal: JournalState): void {
    progress.busy = true;
    const round = publishRound(bridge, progress, journal, signal)
      .catch((error: unknown) => {
        const level = isBridgeError(error, 'publication-busy') ? 'debug' : 'error';
        if (!ending.aborted)
          log[level]({ set: progress.set.path, reason: describeError(error) }, 'not published');
        progress.notBefore = clock.now().getTime() + pauseAfterFailureMs;
      })
      .finally(() => {
        progress.busy = false;
        running.delete(round);
      });
    running.add(round);
  }

  const following = follow();
  return {
    renew: (sets) => {
      const paths = new Set(sets.map(({ path }) => path));
      for (const progress of all) if (paths.has(progress.set.path)) progress.listDue = true;
    },
    stop: async () => {
      stopped.abort();
      await following;
    },
  };
}

function begin(set: ResourceSet): Progress {
  return {
    set,
    busy: false,
    seq: -1,
    day: '',
    listSeq: -1,
    listDue: false,
    renewAfter: 0,
    flatAt: Number.POSITIVE_INFINITY,
    notBefore: 0,
  };
}

function isDue(progress: Progress, journal: JournalState, now: number): boolean {
  const moved = journal.seq !== progress.seq || utcDay(toIso(new Date(now))) !== progress.day;
  return moved || now >= progress.flatAt || wantsList(progress, journal, now);
}

function wantsList({ listDue, listSeq, renewAfter }: Progress, { seq }: JournalState, now: number): boolean {
  return listDue || (listSeq !== undefined && listSeq !== seq && now >= renewAfter);
}

async function publishRound(
  bridge: Bridge,
  progress: Progress,
  journal: JournalState,
  signal: AbortSignal,
): Promise<void> {
  const { set } = progress;
  const first = progress.seq === -1;
  const published = first ? await publishedList(bridge, set) : undefined;
  if (first && !(await isReady(bridge, journal))) {
    progress.notBefore = bridge.clock.now().getTime() + pauseWhileFirstPassMs;
    return;
  }
  if (published) progress.listSeq = published.at < journal.at ? progress.listSeq : journal.seq;
  if (published && published.entries > smallList) progress.listSeq = undefined;
  const now = bridge.clock.now().getTime();
  const renewal = wantsList(progress, journal, now);
  progress.listDue = false;
  const report = await bridge.publisher.publish(set, {
    resourceList: renewal ? 'always' : 'if-missing',
    flat: 'throttled',
    signal,
  });
  if (first) await bridge.publisher.publishSite(bridge.sets());
  const list = report.documents.find(({ path }) => path === resourceListPath(set));
  if (list) {
    progress.listSeq = list.entries > smallList ? undefined : journal.seq;
    progress.renewAfter = now + list.ms / renewalShare;
  }
  progress.flatAt = report.flatDueIn === undefined ? Number.POSITIVE_INFINITY : now + report.flatDueIn;
  progress.seq = journal.seq;
  progress.day = utcDay(toIso(new Date(now)));
}

function resourceListPath(set: ResourceSet): string {
  return `${set.path}/resourcelist.xml`;
}

async function publishedList(
  { publication }: Bridge,
  set: ResourceSet,
): Promise<{ at: string; entries: number } | undefined> {
  const published = (await publication.sets()).find(({ path }) => path === set.path);
  const list = published?.documents.find(({ path }) => path === resourceListPath(set));
  return list && { at: list.at ?? '', entries: list.entries };
}

/**
 * Half of a repository is not published as if it were the whole, while the first pass is under way. When it
 * has failed, what there is is published all the same: some lists never end as they should.
 */
async function isReady({ database }: Bridge, journal: JournalState): Promise<boolean> {
  if (journal.firstPassSeq !== undefined) return true;
  const run = await latestRun(database.reader, journal.sourceId);
  return run !== undefined && run.state !== 'running';
}
