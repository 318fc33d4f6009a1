import { endOfSlot, toIso, toMilliseconds } from '../core/datetime.ts';
import { describeError, isBridgeError } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { type JournalState, markJournals, readJournals } from '../store/journal.ts';
import { latestRun } from '../store/runs.ts';
import type { Bridge } from './bridge.ts';

/**
 * Keeps the published documents level with the journals, whoever writes those: this process, another, or a
 * `rsbridge harvest` beside it. Looking costs one small query, however many sources there are.
 */
export interface PublishLoop {
  /** Take a new snapshot of the Resource Lists of these sets with the next round. */
  renew(sets: readonly ResourceSet[]): void;
  /** Build new Resource Dumps of these sets, one after another. */
  renewDumps(sets: readonly ResourceSet[]): void;
  /** Whether the lists of a source's sets have all that is in its journal, as far as this process has written them. */
  isLevel(source: string, journal: JournalState): boolean;
  /** Ends when what is being published is. */
  stop(): Promise<void>;
}

const pauseMs = 400;
/** Sets that are published side by side, of hundreds perhaps. */
const maxAtOnce = 8;
const pauseAfterFailureMs = 5000;
const pauseWhileFirstPassMs = 1000;
const pauseAfterFailedDumpMs = 600_000;
/** The Source Description names every set: with a thousand of them it is not rendered after each. */
const siteShare = 0.02;
/** A Resource List of one document is renewed after every change, but not for more than this share of the time. */
const renewalShare = 0.02;
const smallList = 50_000;
/** In minutes. */
const aDay = 1440;

/** How far one set is published, as far as this process knows; times in milliseconds since the epoch. */
interface Progress {
  readonly set: ResourceSet;
  busy: boolean;
  /** Of the journal, in the Change Lists; -1 before the first round. */
  seq: number;
  /** When an open Change List may have to be closed. */
  slotEnds: number;
  /** Of the journal, in the Resource List; undefined for long lists, which keep to their schedule. */
  listSeq: number | undefined;
  listDue: boolean;
  /** Before this a stale Resource List stays. */
  renewAfter: number;
  /** A closed Change List may want its package. */
  packagesDue: boolean;
  resourceDump: 'always' | 'if-missing';
  /** After a dump that failed. */
  dumpsNotBefore: number;
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
  let dumping = false;
  let known: { readonly mark: string; readonly journals: ReadonlyMap<string, JournalState> } | undefined;
  const site = { isDue: false, isBusy: false, notBefore: 0 };

  async function follow(): Promise<void> {
    while (!ending.aborted) {
      await look().catch((error: unknown) =>
        log.error({ reason: describeError(error) }, 'the journals cannot be read'),
      );
      await clock.sleep(pauseMs, ending).catch(() => undefined);
    }
    await Promise.all(running);
    if (site.isDue && !signal.aborted) await publishSite();
  }

  async function journalsNow(): Promise<ReadonlyMap<string, JournalState>> {
    const mark = await markJournals(database.reader);
    if (known?.mark !== mark) known = { mark, journals: await readJournals(database.reader) };
    return known.journals;
  }

  async function publishSite(): Promise<void> {
    site.isDue = false;
    site.isBusy = true;
    const began = clock.now().getTime();
    await bridge.publisher.publishSite(bridge.sets()).catch((error: unknown) => {
      site.isDue = true;
      log.error({ reason: describeError(error) }, 'no Source Description');
    });
    const now = clock.now().getTime();
    site.isBusy = false;
    site.notBefore = site.isDue ? now + pauseAfterFailureMs : now + (now - began) / siteShare;
  }

  function followSite(): void {
    if (!site.isDue || site.isBusy || clock.now().getTime() < site.notBefore) return;
    const round = publishSite().finally(() => running.delete(round));
    running.add(round);
  }

  async function look(): Promise<void> {
    const journals = await journalsNow();
    const now = clock.now().getTime();
    followSite();
    for (const progress of all) {
      const journal = journals.get(progress.set.source);
      if (running.size >= maxAtOnce) return;
      if (journal && !progress.busy && now >= progress.notBefore && isDue(progress, journal, now)) {
        start(progress, journal);
      }
    }
    const next = dumping ? undefined : all.find((progress) => wantsDumps(progress, now));
    if (next) startDumps(next);
  }

  /** One at a time, however many are due: each reads as fast as the disk can. */
  function startDumps(progress: Progress): void {
    dumping = true;
    progress.busy = true;
    const { resourceDump, set } = progress;
    progress.packagesDue = false;
    progress.resourceDump = 'if-missing';
    const round = bridge.publisher
      .publishDumps(set, { resourceDump, signal })
      .catch((error: unknown) => {
        if (!ending.aborted) log.error({ set: set.path, reason: describeError(error) }, 'no new dump');
        progress.packagesDue = true;
        progress.resourceDump = resourceDump;
        progress.dumpsNotBefore = clock.now().getTime() + pauseAfterFailedDumpMs;
      })
      .then(() => undefined)
      .finally(() => {
        dumping = false;
        progress.busy = false;
        running.delete(round);
      });
    running.add(round);
  }

  /** Sets are published side by side: a long snapshot of one does not hold up the changes of another. */
  function start(progress: Progress, journal: JournalState): void {
    progress.busy = true;
    const isFirst = progress.seq === -1;
    const round = publishRound(bridge, progress, journal, signal)
      .then(() => {
        if (!isFirst || progress.seq === -1) return;
        site.isDue = true;
        followSite();
      })
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
    renewDumps: (sets) => {
      const paths = new Set(sets.map(({ path }) => path));
      for (const progress of all.filter(({ set }) => paths.has(set.path))) {
        progress.resourceDump = 'always';
        progress.packagesDue = true;
      }
    },
    isLevel: (source, { seq }) =>
      all
        .filter(({ set }) => set.source === source)
        .every(
          (progress) =>
            !progress.busy &&
            !progress.listDue &&
            progress.seq === seq &&
            progress.flatAt === Number.POSITIVE_INFINITY &&
            (progress.listSeq === undefined || progress.listSeq === seq),
        ),
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
    slotEnds: 0,
    listSeq: -1,
    listDue: false,
    renewAfter: 0,
    packagesDue: false,
    resourceDump: 'if-missing',
    dumpsNotBefore: 0,
    flatAt: Number.POSITIVE_INFINITY,
    notBefore: 0,
  };
}

function isDue(progress: Progress, journal: JournalState, now: number): boolean {
  const moved = journal.seq !== progress.seq || now >= progress.slotEnds;
  return moved || now >= progress.flatAt || wantsList(progress, journal, now);
}

/** Not before the lists are there. */
function wantsDumps({ set, busy, seq, packagesDue, dumpsNotBefore }: Progress, now: number): boolean {
  return set.dumps && !busy && seq !== -1 && packagesDue && now >= dumpsNotBefore;
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
    // What the first pass brought is an interval of its own: closed, it can be in a package.
    close: first && !published,
    signal,
  });
  const list = report.documents.find(({ path }) => path === resourceListPath(set));
  if (list) {
    progress.listSeq = list.entries > smallList ? undefined : journal.seq;
    progress.renewAfter = now + list.ms / renewalShare;
  }
  progress.flatAt = report.flatDueIn === undefined ? Number.POSITIVE_INFINITY : now + report.flatDueIn;
  progress.seq = journal.seq;
  const { changeListMinutes } = bridge.config.publish;
  if (now >= progress.slotEnds) progress.packagesDue = true;
  const { publication } = bridge;
  const isOpen = (await publication.set(set.path))?.documents.some(({ path }) => isDated(path, set));
  // Where no list is open none can close; but once a day the oldest changes leave the flat list.
  progress.slotEnds = toMilliseconds(endOfSlot(toIso(new Date(now)), isOpen ? changeListMinutes : aDay));
}

function isDated(path: string, set: ResourceSet): boolean {
  return path.startsWith(`${set.path}/changelist/`);
}

function resourceListPath(set: ResourceSet): string {
  return `${set.path}/resourcelist.xml`;
}

async function publishedList(
  { publication }: Bridge,
  set: ResourceSet,
): Promise<{ at: string; entries: number } | undefined> {
  const published = await publication.set(set.path);
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
