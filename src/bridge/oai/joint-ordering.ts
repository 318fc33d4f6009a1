import { toIso } from '../../core/datetime.ts';
import { failure } from '../../core/errors.ts';
import {
  beginJoint,
  endJoint,
  leaveJoint,
  readJoint,
  readTaken,
  type TakenSource,
  takeUpRecords,
} from '../../store/oai/joint-order.ts';
import { markJournals } from '../../store/sources/journal.ts';
import { listMarkedPrivate } from '../../store/sources/private-sources.ts';
import type { Bridge } from '../bridge.ts';
import { startWatch, type Watch } from '../work/watch.ts';
import { createJointOffers } from './offers.ts';

const pauseMs = 1000;
const shortestRestMs = 5;
const pauseAfterFailureMs = 30_000;
/** Of the time, at most. */
const share = 0.5;

/**
 * Takes up what happens in the sources that are one OAI-PMH repository together: some changes of one source, then some of the
 * next. What belongs to it no more is forgotten.
 * @param isOurs whether this process is the one that does it
 */
export function startJointOrdering(
  bridge: Pick<Bridge, 'config' | 'database' | 'clock' | 'log'>,
  stop: AbortSignal,
  isOurs: () => boolean,
): Watch {
  const { config, database, clock, log } = bridge;
  const offers = createJointOffers(config);
  let level: string | undefined;
  let last = '';

  async function look(): Promise<number> {
    if (!isOurs()) return pauseMs;
    const offer = offers();
    const mark = `${await markJournals(database.reader)} ${offer ? [...offer.sources.keys()].join(' ') : ''}`;
    if (mark === level) return pauseMs;
    const joint = await readJoint(database.reader);
    if (offer && !joint) await beginJoint(database, toIso(clock.now()));
    const taken = offer || joint ? await readTaken(database.reader) : [];
    const closed = new Set(await listMarkedPrivate(database.reader));
    // What was removed says so in its journal.
    const isFollowed = ({ source, isRemoved, seq }: TakenSource) =>
      offer !== undefined &&
      (offer.sources.has(source) || (isRemoved && seq !== undefined && !closed.has(source)));
    const due = taken.filter((one) =>
      isFollowed(one) ? (one.seq ?? 0) < one.journalSeq : one.seq !== undefined,
    );
    // One after the other: a large source keeps no small one waiting.
    const next = due.find(({ source }) => source > last) ?? due[0];
    if (!next) {
      if (!offer && joint) await endJoint(database);
      level = mark;
      return pauseMs;
    }
    last = next.source;
    const began = performance.now();
    try {
      if (isFollowed(next)) await takeUpRecords(database, next, () => toIso(clock.now()));
      else await leaveJoint(database, next.sourceId);
    } catch (error) {
      if (!stop.aborted)
        log.warn(
          { source: next.source, ...failure(error) },
          'records could not be taken up for OAI-PMH of all sources; tried again',
        );
      return pauseAfterFailureMs;
    }
    const took = performance.now() - began;
    return Math.max(shortestRestMs, took / share - took);
  }

  return startWatch(bridge, stop, 'the journals cannot be read', look);
}
