import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Clock, Log } from '../../core/adapter.ts';
import { forCrowd } from '../../core/either-signal.ts';
import { failure } from '../../core/errors.ts';
import { definitionOf, type ResourceSet } from '../../core/resource-set.ts';
import { type Limits, sitemapLimits } from '../../core/sitemap.ts';
import { mementoUri, toUri } from '../../core/uris.ts';
import type { Database } from '../../store/engine/database.ts';
import { listResourcesAt } from '../../store/history/listing-at.ts';
import { withdrawnState } from '../../store/reading/withheld.ts';
import { readJournal } from '../../store/sources/journal.ts';
import type { Moment } from '../../store/sources/moments.ts';
import { formatVersion } from '../disk/pointer.ts';
import { publicationError } from '../disk/publication-error.ts';
import { watched } from '../disk/watched.ts';
import { setPaths } from '../documents/document-paths.ts';
import { type ListPlaces, writeResourceList } from '../documents/resource-list.ts';
import { type PublishedDocument, toPublished } from '../published/publication.ts';
import { graceMilliseconds, type KeptList, KeptLists, type Workplace } from './kept-lists.ts';

export interface ListsInTimeSettings {
  readonly database: Database;
  /** The data directory; lists go to `lists-in-time/` in it. */
  readonly directory: string;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Limits | undefined;
  /** How many lists of one set stay. */
  readonly keep?: number | undefined;
  /** How many bytes all of them may take. */
  readonly keepBytes?: number | undefined;
}

/** Resource Lists as of moments that are over, rendered from the journal when somebody asks for them. */
export interface ListsInTime {
  /**
   * @param moment one of `settledMoments`: of any other the list could still change
   * @returns undefined while it is being rendered, or waits for that: it can be asked for again soon
   * @throws BridgeError `disk-full`, `publication-failed`
   */
  find(set: ResourceSet, moment: Moment): Promise<ListInTime | undefined>;
  /** Stops what is being rendered; nothing is rendered any more. */
  close(): Promise<void>;
}

export interface ListInTime {
  /** The list itself, or the index of its parts. */
  readonly document: PublishedDocument;
  /** @param number from 1 */
  part(number: number): PublishedDocument | undefined;
}

/** Proxies give up after a minute. */
const patienceMilliseconds = 50_000;
/** Who asks for more lists than these is told to come again. */
const longestQueue = 8;
/** Anybody may ask for any moment: no more than half of the time goes into that. */
const restFactor = 1;
const longestRest = 60_000;
/** In one statement: the server has other things to do between them. */
const rowsAtATime = 500;
const lifeMilliseconds = 5_000;

export function createListsInTime(settings: ListsInTimeSettings): ListsInTime {
  const { database, directory, baseUrl, clock, log, limits = sitemapLimits } = settings;
  const { keep = 20, keepBytes = 5 * 1024 ** 3 } = settings;
  const kept = new KeptLists(join(directory, 'lists-in-time'), { lists: keep, bytes: keepBytes }, clock);
  const closing = new AbortController();
  // Every list of the last minute waits for it.
  forCrowd(closing.signal);
  const underWay = new Map<string, Promise<KeptList>>();
  let turn: Promise<unknown> = Promise.resolve();
  let restUntil = 0;

  async function find(set: ResourceSet, moment: Moment): Promise<ListInTime | undefined> {
    const making = await makingOf(set);
    const found = await kept.find(set.path, moment.at, making);
    if (found) return toList(set, moment, found);
    const key = `${set.path} ${moment.at} ${making}`;
    const known = underWay.get(key);
    if (!known && (underWay.size >= longestQueue || closing.signal.aborted)) return undefined;
    // By its turn another request, here or in another process, may have rendered it.
    const make = async () => (await kept.find(set.path, moment.at, making)) ?? render(set, moment, making);
    const rendered = await inTime(known ?? begin(key, make));
    return rendered && toList(set, moment, rendered);
  }

  /** One after the other; a list that several ask for is rendered once. */
  function begin(key: string, work: () => Promise<KeptList>): Promise<KeptList> {
    const rendering = turn.then(() => inTurn(work)).finally(() => underWay.delete(key));
    underWay.set(key, rendering);
    turn = rendering.catch(() => undefined);
    return rendering;
  }

  async function inTurn(work: () => Promise<KeptList>): Promise<KeptList> {
    const { signal } = closing;
    // However the clock is set.
    const wait = Math.min(restUntil - clock.now().getTime(), longestRest);
    if (wait > 0) await clock.sleep(wait, signal);
    signal.throwIfAborted();
    const started = clock.now().getTime();
    try {
      return await work();
    } finally {
      const now = clock.now().getTime();
      restUntil = now + (now - started) * restFactor;
    }
  }

  async function render(set: ResourceSet, moment: Moment, making: string): Promise<KeptList> {
    const { signal } = closing;
    let workplace: Workplace | undefined;
    let alive = clock.now().getTime();
    const meanwhile = async () => {
      await setImmediate();
      const now = clock.now().getTime();
      if (now - alive < lifeMilliseconds) return;
      alive = now;
      await workplace?.live();
    };
    try {
      workplace = await kept.begin(set.path, moment.at);
      const pages = listResourcesAt(database.reader, set, moment.seq, rowsAtATime);
      const { document, parts } = await writeResourceList(watched(pages, signal, meanwhile), {
        directory: workplace.directory,
        baseUrl,
        set,
        at: moment.at,
        limits,
        places: placesOf(set, moment),
      });
      const list = await workplace.complete({ document: { ...document, immutable: true }, parts }, making);
      log.info(
        { set: set.path, at: moment.at, entries: document.entries },
        'a list of an earlier time is rendered',
      );
      return list;
    } catch (error) {
      await workplace?.discard();
      throw publicationError(error, `${set.path} as of ${moment.at}`, signal);
    } finally {
      await tidy();
      // Who has found one of those that had to go may still have to open it.
      void clock.sleep(graceMilliseconds, signal).then(tidy, () => undefined);
    }
  }

  function tidy(): Promise<void> {
    return kept
      .tidy()
      .catch((error: unknown) => log.warn({ ...failure(error), err: error }, 'lists of the past stay'));
  }

  /** What is asked for in vain is rendered all the same: whoever comes again finds it. */
  async function inTime(rendering: Promise<KeptList>): Promise<KeptList | undefined> {
    const enough = new AbortController();
    const patience = clock.sleep(patienceMilliseconds, enough.signal).then(
      () => undefined,
      () => undefined,
    );
    try {
      return await Promise.race([rendering, patience]);
    } catch (error) {
      // Whoever asks the next process gets it.
      if (closing.signal.aborted) return undefined;
      throw error;
    } finally {
      enough.abort();
    }
  }

  /** A list that was rendered from another journal, or in another way, is another one. */
  async function makingOf({ source, filter, mirrors, mementos, members }: ResourceSet): Promise<string> {
    const journal = await readJournal(database.reader, source);
    const withdrawn = journal && (await withdrawnState(database.reader, journal.sourceId));
    const parts = members?.map((member) => [member.source, member.mirrors, member.mementos]);
    const form = [definitionOf(filter), mirrors, mementos, limits, ...(parts ? [parts] : [])];
    const making = [formatVersion, baseUrl, journal?.id, ...form, ...(withdrawn ? [withdrawn] : [])];
    return createHash('sha256').update(JSON.stringify(making)).digest('hex').slice(0, 32);
  }

  /** Below `baseUrl`. */
  function placesOf(set: ResourceSet, { at }: Moment): ListPlaces {
    const paths = setPaths(set);
    const below = (path: string) => mementoUri(baseUrl, toUri(baseUrl, path), at).slice(baseUrl.length + 1);
    return { list: below(paths.resourceList), part: (number) => below(paths.resourceListMember(number)) };
  }

  function toList(
    set: ResourceSet,
    moment: Moment,
    { directory: place, document, parts }: KeptList,
  ): ListInTime {
    const places = placesOf(set, moment);
    return {
      document: toPublished(place, places.list, document),
      part: (number) => {
        const path = places.part(number);
        const part = Object.hasOwn(parts, path) ? parts[path] : undefined;
        return part && toPublished(place, path, part);
      },
    };
  }

  return {
    find,
    close: async () => {
      closing.abort();
      await Promise.allSettled([turn, ...underWay.values()]);
    },
  };
}
