import type { Clock } from '../../core/adapter.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import type { SourceOverview } from '../../server/deps.ts';
import type { Measures } from '../../server/measures.ts';
import { readDatabaseSize } from '../../store/reading/database-size.ts';
import type { Bridge } from '../bridge.ts';
import { readMeasures } from './measures.ts';
import { overviewsOf, readKnown } from './overview.ts';

/** How all sources are doing, and what is published of them, for pages and monitors that are asked for often. */
export interface Survey {
  measures(): Promise<Measures>;
  sources(): Promise<readonly SourceOverview[]>;
  published(): Promise<readonly PublishedSet[]>;
  /** Somebody has just decided something: whoever asks now is not told what was so before. */
  lookAgain(): void;
}

export function createSurvey(bridge: Bridge): Survey {
  const { clock, publication, database, config } = bridge;
  const published = keptFresh(clock, 0, () => publication.sets());
  const lookAnew = () =>
    keptFresh(clock, 5000, async () => {
      const of = await readKnown(bridge, await published());
      return { of, overviews: overviewsOf(bridge, of) };
    });
  let sources = config.sources;
  let look = lookAnew();
  // Whoever has just added or removed a source is shown that.
  const known = () => {
    if (sources !== config.sources) look = lookAnew();
    sources = config.sources;
    return look();
  };
  const sizeOfDatabase = keptFresh(clock, 60_000, () => readDatabaseSize(database, config.database));
  return {
    published,
    lookAgain: () => {
      look = lookAnew();
    },
    sources: async () => (await known()).overviews,
    measures: keptFresh(clock, 5000, async () =>
      readMeasures({ ...bridge, sizeOfDatabase }, (await known()).of),
    ),
  };
}

/** What takes long is not done anew for more than this share of the time, however often it is asked for. */
const share = 0.02;
/** What is older is waited for, although there is something to show. */
const tooOldMs = 60_000;
/** Whoever asks waits for what takes no longer. */
const shortMs = 20;

/**
 * Remembers an answer. One that is no longer fresh is asked for anew; where that takes a while, those who ask
 * meanwhile are given the last one.
 */
export function keptFresh<Answer>(
  clock: Pick<Clock, 'now'>,
  freshMs: number,
  ask: () => Promise<Answer>,
): () => Promise<Answer> {
  let last: { readonly at: number; readonly tookMs: number; readonly answer: Answer } | undefined;
  let asking: Promise<Answer> | undefined;
  const askAnew = async (): Promise<Answer> => {
    const at = clock.now().getTime();
    try {
      const answer = await ask();
      last = { at, tookMs: clock.now().getTime() - at, answer };
      return answer;
    } catch (error) {
      // A failure is told to whoever asked, and not remembered; nor is what was true before it.
      last = undefined;
      throw error;
    } finally {
      asking = undefined;
    }
  };
  return async () => {
    const age = last ? clock.now().getTime() - last.at : Number.POSITIVE_INFINITY;
    if (last && age >= 0 && age <= Math.max(freshMs, last.tookMs / share)) return last.answer;
    asking ??= askAnew();
    if (!last || last.tookMs <= shortMs || age > tooOldMs) return asking;
    asking.catch(() => undefined);
    return last.answer;
  };
}
