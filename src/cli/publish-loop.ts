import { toIso, utcDay } from '../core/datetime.ts';
import { describeError, isBridgeError } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { type JournalState, readJournal } from '../store/journal.ts';
import { latestRun } from '../store/runs.ts';
import type { Bridge } from './bridge.ts';

/**
 * Keeps the published documents level with the journals, whoever writes those: this process, another, or a
 * `rsbridge harvest` beside it. Looking costs one small query per source.
 */
export interface PublishLoop {
  /** Take a new snapshot of the Resource Lists of these sets with the next round. */
  renew(sets: readonly ResourceSet[]): void;
  /** Ends after the round under way. */
  stop(): Promise<void>;
}

const pauseMs = 400;
/** A Resource List of one document is renewed after every change, but not for more than this share of the time. */
const renewalShare = 0.02;
const smallList = 50_000;

interface Progress {
  /** What the Change Lists reflect. */
  seq: number;
  day: string;
  /** Before this a stale Resource List stays. */
  renewAfter: number;
  /** When the flat Change List, held back so as not to be written all the time, is due. */
  flatAt: number;
}

export function startPublishLoop(bridge: Bridge, signal: AbortSignal): PublishLoop {
  const { log, clock } = bridge;
  const due = new Set<string>();
  const stopped = new AbortController();
  const ending = AbortSignal.any([stopped.signal, signal]);

  /** One set has its own loop: a long snapshot of one does not hold up the changes of another. */
  async function follow(set: ResourceSet): Promise<void> {
    const progress: Progress = { seq: -1, day: '', renewAfter: 0, flatAt: Number.POSITIVE_INFINITY };
    while (!ending.aborted) {
      try {
        await round(bridge, set, progress, due, signal);
      } catch (error) {
        const level = isBridgeError(error, 'publication-busy') ? 'debug' : 'error';
        if (!ending.aborted) log[level]({ set: set.path, reason: describeError(error) }, 'not published');
        await clock.sleep(5000, ending).catch(() => undefined);
      }
      await clock.sleep(pauseMs, ending).catch(() => undefined);
    }
  }

  const loops = bridge.sets().map(follow);
  return {
    renew: (sets) => {
      for (const { path } of sets) due.add(path);
    },
    stop: async () => {
      stopped.abort();
      await Promise.all(loops);
    },
  };
}

async function round(
  bridge: Bridge,
  set: ResourceSet,
  progress: Progress,
  due: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const journal = await readJournal(bridge.database.reader, set.source);
  if (!journal || (progress.seq === -1 && !(await isReady(bridge, set, journal)))) return;
  const now = bridge.clock.now().getTime();
  const day = utcDay(toIso(new Date(now)));
  const moved = journal.seq !== progress.seq || day !== progress.day;
  const asked = due.delete(set.path);
  const renewal = asked || (now >= progress.renewAfter && (await isStale(bridge, set, journal.at)));
  if (!moved && !renewal && now < progress.flatAt) return;
  const report = await bridge.publisher.publish(set, {
    resourceList: renewal ? 'always' : 'if-missing',
    flat: 'throttled',
    signal,
  });
  if (progress.seq === -1) await bridge.publisher.publishSite(bridge.sets());
  const list = report.documents.find(({ path }) => path === resourceListPath(set));
  if (list) progress.renewAfter = now + list.ms / renewalShare;
  progress.flatAt = report.flatDueIn === undefined ? Number.POSITIVE_INFINITY : now + report.flatDueIn;
  progress.seq = journal.seq;
  progress.day = day;
}

/**
 * Half of a repository is not published as if it were the whole, while the first pass is under way. When it
 * has failed, what there is is published all the same: some lists never end as they should.
 */
async function isReady(
  { database, publication }: Bridge,
  set: ResourceSet,
  journal: JournalState,
): Promise<boolean> {
  if (journal.firstPassSeq !== undefined) return true;
  if ((await publication.sets()).some(({ path }) => path === set.path)) return true;
  const run = await latestRun(database.reader, journal.sourceId);
  return run !== undefined && run.state !== 'running';
}

function resourceListPath(set: ResourceSet): string {
  return `${set.path}/resourcelist.xml`;
}

/** Whether the journal has gone on since the Resource List; long lists are left to their schedule. */
async function isStale({ publication }: Bridge, set: ResourceSet, journalAt: string): Promise<boolean> {
  const published = (await publication.sets()).find(({ path }) => path === set.path);
  const list = published?.documents.find(({ path }) => path === resourceListPath(set));
  return list?.at !== undefined && list.entries <= smallList && list.at < journalAt;
}
