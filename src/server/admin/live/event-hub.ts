import type { FastifyInstance } from 'fastify';
import { failure } from '../../../core/errors.ts';
import { refuse } from '../../http/errors.ts';
import { EventStream } from './event-stream.ts';

/** Somebody who looks on. */
export interface Onlooker {
  /** Of so many streams of one name each has to wait. */
  readonly who: string;
  /** Whether it may still look. */
  mayStay(): Promise<boolean>;
  /** Says what is new. */
  look(stream: EventStream, shared: Shared): Promise<void>;
}

/** What several who look on need is read once. @param freshMs for so long what was read is new enough */
export type Shared = <Answer>(name: string, freshMs: number, ask: () => Promise<Answer>) => Promise<Answer>;

/** Streams of events of one server: one look a second for all of them, none while nobody looks on. */
export interface EventHub {
  /** @throws Refusal where there are too many */
  add(onlooker: Onlooker): EventStream;
}

export interface EventHubSettings {
  readonly most?: number;
  readonly mostOfOne?: number;
  readonly lookEveryMs?: number;
}

const checkEveryMs = 5000;
const pingEveryMs = 15_000;

interface Entry extends Onlooker {
  readonly stream: EventStream;
  checkedAt: number;
}

export function createEventHub(
  app: Pick<FastifyInstance, 'addHook' | 'log'>,
  { most = 200, mostOfOne = 20, lookEveryMs = 1000 }: EventHubSettings = {},
): EventHub {
  const entries = new Set<Entry>();
  const known = new Map<string, { readonly at: number; readonly answer: Promise<unknown> }>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isClosed = false;

  const shared: Shared = (name, freshMs, ask) => {
    const last = known.get(name);
    if (last && performance.now() - last.at < freshMs) return last.answer as ReturnType<typeof ask>;
    const answer = ask();
    known.set(name, { at: performance.now(), answer });
    // Whoever asked is told.
    answer.catch(() => known.delete(name));
    return answer;
  };

  function remove(entry: Entry): void {
    entries.delete(entry);
    if (entries.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
    known.clear();
  }

  async function lookFor(entry: Entry): Promise<void> {
    const { stream } = entry;
    const now = performance.now();
    if (now - entry.checkedAt >= checkEveryMs) {
      entry.checkedAt = now;
      if (!(await entry.mayStay())) return stream.end();
    }
    await entry.look(stream, shared);
    if (performance.now() - stream.sentAt >= pingEveryMs) stream.ping();
  }

  async function look(): Promise<void> {
    isLooking = true;
    for (const entry of [...entries]) {
      if (!entries.has(entry)) continue;
      // What cannot be read now is read the next time; the reader sees that nothing comes.
      await lookFor(entry).catch((error: unknown) =>
        app.log.debug({ ...failure(error) }, 'nothing is told to those who look on'),
      );
    }
    isLooking = false;
    schedule();
  }

  function schedule(): void {
    if (entries.size === 0 || isLooking || isClosed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void look(), lookEveryMs);
    timer.unref();
  }

  app.addHook('preClose', async () => {
    isClosed = true;
    clearTimeout(timer);
    for (const { stream } of entries) stream.end(true);
  });

  return {
    add: (onlooker) => {
      const ofOne = [...entries].filter(({ who }) => who === onlooker.who).length;
      if (isClosed || entries.size >= most || ofOne >= mostOfOne)
        throw refuse('not-ready', 'too-many-look-on', {}, { 'retry-after': '30' });
      const stream = new EventStream();
      const entry: Entry = { ...onlooker, stream, checkedAt: performance.now() };
      entries.add(entry);
      stream.once('close', () => remove(entry));
      // The first look is at once.
      void lookFor(entry)
        .catch((error: unknown) => app.log.debug({ ...failure(error) }, 'nothing is told yet'))
        .then(schedule);
      return stream;
    },
  };
}
