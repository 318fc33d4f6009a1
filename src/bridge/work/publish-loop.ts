import { endOfSlot, toIso, toMilliseconds } from '../../core/datetime.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { failure, isBridgeError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { NewWork, TrackedWork } from '../../core/under-way.ts';
import type { ListMeanwhile } from '../../publish/publisher.ts';
import type { PublishProgress } from '../../publish/sets/set-part.ts';
import { takeUp } from '../../store/joint/take-up.ts';
import { jointOf, losesWithheld } from '../../store/reading/joint-changes.ts';
import { holdsWithheld, ruleOf } from '../../store/reading/withheld.ts';
import { latestRun } from '../../store/runs/runs.ts';
import { type JournalState, lastSeqBefore, markJournals, readJournals } from '../../store/sources/journal.ts';
import { JournalWatch } from '../../store/sources/journals-gone-back.ts';
import type { Bridge } from '../bridge.ts';
import { renameLost, renameOlderJournals } from '../older-database.ts';
import { smallList } from './list-renewal.ts';
import {
  begin,
  beginAnew,
  carryOn,
  isDue,
  noteList,
  ofJournal,
  type Progress,
  wantsDumps,
  wantsList,
} from './set-progress.ts';

/**
 * Keeps the published documents level with the journals, whoever writes those: this process, another, or a
 * `rsbridge harvest` beside it. Looking costs one small query, however many sources there are.
 */
export interface PublishLoop {
  /** Take a new snapshot of the Resource Lists of these sets with the next round. */
  renew(sets: readonly ResourceSet[]): void;
  /** Build new Resource Dumps of these sets, one after another. */
  renewDumps(sets: readonly ResourceSet[]): void;
  /** Publishes these sets from now on, and no others; those whose definition has changed anew. */
  follow(sets: readonly ResourceSet[]): void;
  /** Whether the snapshots and dumps that were asked for are there. */
  isRenewed(): boolean;
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
/** A first pass that ends without success is not in any journal. */
const longestRestOfJointsMs = 10_000;
/** In minutes. */
const aDay = 1440;

/** @param isOurs whether this process is the one that publishes; another one does until then, and after that */
export function startPublishLoop(
  bridge: Bridge,
  signal: AbortSignal,
  isOurs: () => boolean = () => true,
): PublishLoop {
  const { log, clock, database } = bridge;
  let all: readonly Progress[] = bridge.sets().map(begin);
  const running = new Set<Promise<void>>();
  const stopped = new AbortController();
  const ending = eitherOf(stopped.signal, signal);
  let dumping = false;
  let known: { readonly mark: string; readonly journals: ReadonlyMap<string, JournalState> } | undefined;
  /** Sets across sources that have not taken up everything that was there when they looked last. */
  const behind = new Set<string>();
  let takenUp: { readonly mark: string; readonly at: number } | undefined;
  const site = { isDue: false, isBusy: false, notBefore: 0 };
  let wasOurs = true;
  const watch = new JournalWatch(database);

  async function follow(): Promise<void> {
    while (!ending.aborted) {
      await look().catch((error: unknown) => log.error({ ...failure(error) }, 'the journals cannot be read'));
      await clock.sleep(pauseMs, ending).catch(() => undefined);
    }
    await Promise.all(running);
    if (site.isDue && wasOurs && !signal.aborted) await publishSite();
  }

  /** What another process has published meanwhile is looked at as after a start. */
  async function takeOver(): Promise<void> {
    await renameOlderJournals(bridge, bridge.sets());
    wasOurs = true;
    anew();
  }

  function anew(): void {
    all = all.map(beginAnew);
  }

  async function journalsNow(): Promise<ReadonlyMap<string, JournalState>> {
    const mark = await markJournals(database.reader);
    const isFresh = takenUp?.mark === mark && clock.now().getTime() < takenUp.at + longestRestOfJointsMs;
    if (behind.size > 0 || !isFresh) await takeUpNews(mark);
    if (known?.mark !== mark) known = { mark, journals: await withoutLosses() };
    return known.journals;
  }

  /** What was published of changes that the database has lost says nothing any more of what it has. */
  async function withoutLosses(): Promise<ReadonlyMap<string, JournalState>> {
    const journals = await readJournals(database.reader);
    const lost = await watch.look(journals);
    if (lost.length === 0) return journals;
    await renameLost(bridge, lost);
    anew();
    return readJournals(database.reader);
  }

  /** Into the journals of the sets across sources: from here on they are moved like those of a source. */
  async function takeUpNews(mark: string): Promise<void> {
    for (const { set } of all) {
      if (!set.members) continue;
      const { changes, isBehind, isAnew } = await takeUp(database, jointOf(set), toIso(clock.now()));
      if (changes > 0 || isAnew) known = undefined;
      if (isBehind) behind.add(set.path);
      else behind.delete(set.path);
    }
    takenUp = { mark, at: clock.now().getTime() };
  }

  async function publishSite(): Promise<void> {
    site.isDue = false;
    site.isBusy = true;
    const began = clock.now().getTime();
    await bridge.publisher.publishSite(bridge.sets()).catch((error: unknown) => {
      site.isDue = true;
      log.error({ ...failure(error) }, 'Source Description not published');
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
    if (!isOurs()) {
      wasOurs = false;
      return;
    }
    if (!wasOurs) await takeOver();
    const journals = await journalsNow();
    all = all.map((progress) => ofJournal(progress, journals.get(progress.set.source)));
    const now = clock.now().getTime();
    followSite();
    const due = all.flatMap((progress) => {
      const journal = journals.get(progress.set.source);
      const isFree = !progress.busy && now >= progress.notBefore;
      return journal && isFree && isDue(progress, journal, now) ? [{ progress, journal }] : [];
    });
    // What happens anywhere is to be in a set across sources at once: it waits for none of them.
    const isJoint = ({ progress }: { progress: Progress }) => progress.set.members !== undefined;
    due.sort(
      (a, b) => Number(isJoint(b)) - Number(isJoint(a)) || a.progress.startedAt - b.progress.startedAt,
    );
    for (const { progress, journal } of due) {
      if (running.size >= maxAtOnce && progress.set.members === undefined) return;
      progress.startedAt = now;
      start(progress, journal);
    }
    const next = dumping ? undefined : all.find((progress) => wantsDumps(progress, now));
    if (next) startDumps(next);
  }

  /** One at a time, however many are due: each reads as fast as the disk can. */
  function startDumps(progress: Progress): void {
    dumping = true;
    progress.busy = true;
    const { resourceDump, set } = progress;
    const work = bridge.presence.begin(workOn('dumps', set));
    progress.packagesDue = false;
    progress.resourceDump = 'if-missing';
    const round = bridge.publisher
      .publishDumps(set, { resourceDump, signal, list: listMeanwhile(progress), ...told(work, progress) })
      .catch((error: unknown) => {
        if (!ending.aborted) log.error({ set: set.path, ...failure(error) }, 'dump not published');
        progress.packagesDue = true;
        progress.resourceDump = resourceDump;
        progress.dumpsNotBefore = clock.now().getTime() + pauseAfterFailedDumpMs;
      })
      .then(() => undefined)
      .finally(() => {
        work.end();
        dumping = false;
        progress.busy = false;
        running.delete(round);
      });
    running.add(round);
  }

  /** A dump may take hours, and the Resource List is not to wait for it. */
  function listMeanwhile(progress: Progress): ListMeanwhile {
    const { source } = progress.set;
    return {
      isDue: () => {
        const journal = known?.journals.get(source);
        return journal !== undefined && wantsList(progress, journal, clock.now().getTime());
      },
      rendered: (list) => noteList(progress, list, clock.now().getTime() - list.ms),
    };
  }

  /** Sets are published side by side: a long snapshot of one does not hold up the changes of another. */
  function start(progress: Progress, journal: JournalState): void {
    progress.busy = true;
    const isFirst = progress.seq === -1;
    const work = bridge.presence.begin(workOn('lists', progress.set));
    const round = publishRound(bridge, progress, journal, signal, work)
      .then(() => {
        if (!isFirst || progress.seq === -1) return;
        site.isDue = true;
        followSite();
      })
      .catch((error: unknown) => {
        const level = isBridgeError(error, 'publication-busy') ? 'debug' : 'error';
        if (!ending.aborted) log[level]({ set: progress.set.path, ...failure(error) }, 'not published');
        progress.notBefore = clock.now().getTime() + pauseAfterFailureMs;
      })
      .finally(() => {
        work.end();
        progress.busy = false;
        progress.listBegun = false;
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
    follow: (sets) => {
      takenUp = undefined;
      // Another process may have taken them up by this configuration before.
      known = undefined;
      all = carryOn(all, sets);
      site.isDue = true;
    },
    isRenewed: () =>
      all
        // Those that are not published yet have nothing to renew.
        .filter(({ seq }) => seq !== -1)
        .every(({ set, listDue, listBegun, resourceDump }) => {
          const isDumped = !set.dumps || resourceDump === 'if-missing';
          return !listDue && !listBegun && isDumped;
        }),
    isLevel: (source, { seq }) =>
      all
        .filter(({ set }) => set.source === source)
        .every(
          (progress) =>
            !progress.busy &&
            !progress.listDue &&
            progress.seq === seq &&
            progress.flatAt === Number.POSITIVE_INFINITY &&
            (progress.isLarge ? !progress.namesWithheld : progress.listSeq === seq),
        ),
    stop: async () => {
      stopped.abort();
      await following;
    },
  };
}

function workOn(kind: 'lists' | 'dumps', { path, source, members }: ResourceSet): NewWork {
  return { kind, source: members ? '' : source, set: path };
}

/** How long it will be is reckoned by how long it was. */
function told(work: TrackedWork, { entries }: Progress) {
  return {
    uncounted: true,
    onProgress: ({ document, done }: PublishProgress) =>
      work.tell({ phase: document, done, expected: document === 'changeDump' ? undefined : entries }),
  };
}

/** What has become of a long list since it was rendered. */
async function lookIntoLarge({ database }: Bridge, progress: Progress, { seq }: JournalState): Promise<void> {
  const { set, isLarge, namesWithheld, listSeq } = progress;
  if (!isLarge || namesWithheld || seq === progress.seq) return;
  if (set.members) {
    const since = Math.max(listSeq, progress.seq);
    progress.namesWithheld = await losesWithheld(database.reader, set, since, seq);
    return;
  }
  const listed = { afterSeq: 0, seq: listSeq };
  progress.namesWithheld = await holdsWithheld(database.reader, set, listed, listSeq, ruleOf(set));
}

async function publishRound(
  bridge: Bridge,
  progress: Progress,
  journal: JournalState,
  signal: AbortSignal,
  work: TrackedWork,
): Promise<void> {
  const { set } = progress;
  const first = progress.seq === -1;
  const published = first ? await publishedList(bridge, set) : undefined;
  if (first && !(await isReady(bridge, journal))) {
    progress.notBefore = bridge.clock.now().getTime() + pauseWhileFirstPassMs;
    return;
  }
  if (published) {
    const { sourceId, seq, at } = journal;
    progress.isLarge = published.entries > smallList;
    progress.entries = published.entries;
    progress.listSeq =
      published.at >= at ? seq : await lastSeqBefore(bridge.database.reader, sourceId, seq, published.at);
  }
  await lookIntoLarge(bridge, progress, journal);
  const now = bridge.clock.now().getTime();
  const renewal = wantsList(progress, journal, now);
  progress.listBegun = renewal;
  progress.listDue = false;
  const report = await bridge.publisher.publish(set, {
    resourceList: renewal ? 'always' : 'if-missing',
    flat: 'throttled',
    // What the first pass brought is an interval of its own: closed, it can be in a package.
    close: first && !published,
    signal,
    ...told(work, progress),
  });
  const list = report.documents.find(({ path }) => path === resourceListPath(set));
  if (list) noteList(progress, { ...list, seq: journal.seq }, now);
  progress.flatAt = report.flatDueIn === undefined ? Number.POSITIVE_INFINITY : now + report.flatDueIn;
  progress.journal = journal.id;
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
