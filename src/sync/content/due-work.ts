import type { DueResource, DueResources } from '../state/due-resources.ts';

export interface DueWork {
  /** What comes before the rows. */
  readonly first?: Iterable<DueResource> | undefined;
  readonly atOnce: number;
  /** So many in all, where what is more than `atOnce` is small. */
  readonly smallAtOnce: number;
  readonly isSmall: (resource: DueResource) => boolean;
  /** What is under way is finished, and nothing new begun. */
  readonly stop: AbortSignal;
  readonly now: () => string;
}

/** So many that are not small may wait for their turn. */
const mostAside = 100;

/**
 * Does all that is due, so many at a time, each once.
 * @throws the first error of `work`, when the others have ended
 */
export async function workThroughDue(
  due: DueResources,
  work: (resource: DueResource) => Promise<void>,
  { first = [], atOnce, smallAtOnce, isSmall, stop, now }: DueWork,
): Promise<void> {
  const queue = oneByOne(first, due, now());
  const aside: DueResource[] = [];
  let room: (() => void)[] = [];
  const giveRoom = () => {
    const waiting = room;
    room = [];
    for (const goOn of waiting) goOn();
  };
  let failure: { readonly error: unknown } | undefined;
  const isOver = () => stop.aborted || failure !== undefined;
  const workOn = async (next: DueResource) => {
    try {
      await work(next);
    } catch (error) {
      failure ??= { error };
    }
  };
  const forAll = async () => {
    while (!isOver()) {
      const next = aside.shift() ?? queue.next().value;
      if (next === undefined) break;
      giveRoom();
      await workOn(next);
    }
    giveRoom();
  };
  const forSmall = async () => {
    while (!isOver()) {
      const next = queue.next().value;
      if (next === undefined) return;
      if (isSmall(next)) await workOn(next);
      else if (aside.push(next) >= mostAside) await new Promise<void>((goOn) => room.push(goOn));
    }
  };
  const workers = Array.from({ length: Math.max(atOnce, smallAtOnce) }, (_, index) =>
    index < atOnce ? forAll() : forSmall(),
  );
  await Promise.all(workers);
  if (failure !== undefined) throw failure.error;
}

/** A page is read when the one before it has been handed out; rows that come meanwhile have been tried. */
function* oneByOne(
  first: Iterable<DueResource>,
  due: DueResources,
  now: string,
): Generator<DueResource, undefined> {
  const highest = due.highestId();
  yield* first;
  for (let last = 0; last < highest; ) {
    const page = due.after(last, now);
    for (const resource of page) {
      if ((resource.id ?? 0) > highest) return undefined;
      yield resource;
    }
    const end = page.at(-1)?.id;
    if (end === undefined) return undefined;
    last = end;
  }
  return undefined;
}
