import { failure } from '../../core/errors.ts';
import { orderOwnSets, ownSetsAreDue } from '../../store/oai/own-set-order.ts';
import { forgetOrder, orderRecords, readOrdered } from '../../store/oai/record-order.ts';
import { markJournals } from '../../store/sources/journal.ts';
import type { Bridge } from '../bridge.ts';
import { startWatch, type Watch } from '../work/watch.ts';
import { oaiOfferOf } from './offers.ts';

const pauseMs = 1000;
const shortestRestMs = 5;
const pauseAfterFailureMs = 30_000;
/** Of the time, at most. */
const share = 0.5;
/** Of so many changes somebody wants to know when they begin, and when they are done. */
const worthTelling = 100_000;

/**
 * Keeps the records of sources that answer OAI-PMH in the order of their last changes: some changes of one source, then
 * some of the next. Answers do without it as long as little is left to do.
 * @param isOurs whether this process is the one that does it
 */
export function startOrdering(
  bridge: Pick<Bridge, 'config' | 'database' | 'clock' | 'log'>,
  stop: AbortSignal,
  isOurs: () => boolean,
): Watch {
  const { config, database, log } = bridge;
  const told = new Set<string>();
  let level: string | undefined;
  let last = '';

  async function look(): Promise<number> {
    if (!isOurs()) return pauseMs;
    const offered = new Map(
      Object.keys(config.sources).flatMap((name) => {
        const offer = oaiOfferOf(config, name);
        return offer ? [[name, offer.sets ?? []] as const] : [];
      }),
    );
    const mark = `${await markJournals(database.reader)} ${JSON.stringify([...offered])}`;
    if (mark === level) return pauseMs;
    const due = (await readOrdered(database.reader)).filter((one) => {
      const sets = offered.get(one.source);
      if (!sets) return one.isKnown && Object.hasOwn(config.sources, one.source);
      return one.seq < one.journalSeq || ownSetsAreDue(one, sets);
    });
    // One after the other: a large source keeps no small one waiting.
    const next = due.find(({ source }) => source > last) ?? due[0];
    if (!next) {
      level = mark;
      return pauseMs;
    }
    last = next.source;
    const began = performance.now();
    try {
      const sets = offered.get(next.source);
      if (!sets) await forgetOrder(database, next.sourceId);
      else if (next.seq === next.journalSeq)
        await orderOwnSets(database, next.sourceId, sets, next.journalSeq);
      else {
        if (next.journalSeq - next.seq > worthTelling && !told.has(next.source)) {
          told.add(next.source);
          log.info({ source: next.source }, 'records are being put in order for OAI-PMH');
        }
        const at = await orderRecords(database, next);
        if (at === next.journalSeq && told.delete(next.source))
          log.info({ source: next.source }, 'records are in order for OAI-PMH');
      }
    } catch (error) {
      if (!stop.aborted)
        log.warn(
          { source: next.source, ...failure(error) },
          'records could not be put in order; tried again',
        );
      return pauseAfterFailureMs;
    }
    const took = performance.now() - began;
    return Math.max(shortestRestMs, took / share - took);
  }

  return startWatch(bridge, stop, 'the journals cannot be read', look);
}
