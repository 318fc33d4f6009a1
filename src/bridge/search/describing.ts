import { failure } from '../../core/errors.ts';
import { type Followed, followJournal, forgetSource, readFollowed } from '../../store/search/following.ts';
import { markJournals } from '../../store/sources/journal.ts';
import type { Bridge } from '../bridge.ts';
import { startWatch, type Watch } from '../work/watch.ts';
import { searchedSources } from './searched-sources.ts';

const pauseMs = 1000;
const shortestRestMs = 20;
/** Of the time, at most: beside a harvest, and without one. */
const shares = { beside: 0.1, alone: 0.5 } as const;
const pauseAfterFailureMs = 30_000;
/** Of so many changes somebody wants to know when they begin, and when they are done. */
const worthTelling = 10_000;

export interface DescribingDeps {
  /** Whether this process is the one that does it. */
  isOurs(): boolean;
  /** Whether something is harvested here. */
  isHarvesting(): boolean;
}

/**
 * Keeps what lists say of items, and the words that they are found by, level with the journals: some changes of one source,
 * then some of the next, with rests that leave the processor to others. The first time it goes through all that there is.
 */
export function startDescribing(
  bridge: Pick<Bridge, 'config' | 'database' | 'clock' | 'log'>,
  stop: AbortSignal,
  { isOurs, isHarvesting }: DescribingDeps,
): Watch {
  const { config, database, log } = bridge;
  const searched = searchedSources(config);
  const told = new Set<string>();
  let level: string | undefined;
  let last = '';

  async function look(): Promise<number> {
    if (!isOurs()) return pauseMs;
    const mark = `${await markJournals(database.reader)} ${settingsOf(config)}`;
    if (mark === level) return pauseMs;
    const all = await readFollowed(database.reader);
    const due = all.filter((one) =>
      searched.has(one.source) ? one.seq < one.journalSeq : isKept(config, one),
    );
    if (due.length === 0) {
      level = mark;
      return pauseMs;
    }
    // One after the other: a large source keeps no small one waiting.
    const next = due.find(({ source }) => source > last) ?? due[0];
    if (!next) return pauseMs;
    last = next.source;
    const began = performance.now();
    try {
      if (searched.has(next.source)) await follow(next);
      else await forgetSource(database, next.sourceId);
    } catch (error) {
      if (!stop.aborted)
        log.warn({ source: next.source, ...failure(error) }, 'items could not be described; tried again');
      return pauseAfterFailureMs;
    }
    const took = performance.now() - began;
    const share = isHarvesting() ? shares.beside : shares.alone;
    return Math.max(shortestRestMs, took / share - took);
  }

  async function follow(next: Followed): Promise<void> {
    const { source, seq, journalSeq } = next;
    if (journalSeq - seq > worthTelling && !told.has(source)) {
      told.add(source);
      log.info({ source, changes: journalSeq - seq }, 'items are being described, to be found by words');
    }
    const at = await followJournal(database, config.directory, next);
    if (at === journalSeq && told.delete(source)) log.info({ source }, 'items are described');
  }

  return startWatch(bridge, stop, 'the journals cannot be read', look);
}

/** What is to be searched may change without a change of a journal. */
function settingsOf({ search, sources }: Bridge['config']): string {
  const without = Object.entries(sources).flatMap(([name, settings]) => (settings.search ? [] : [name]));
  return JSON.stringify([search, Object.keys(sources).length, without]);
}

/** Something may be left that nobody looks for. What is only out of the configuration for a while stays. */
function isKept({ search, sources }: Bridge['config'], { source, seq, isKnown }: Followed): boolean {
  return (isKnown || seq > 0) && (!search || Object.hasOwn(sources, source));
}
