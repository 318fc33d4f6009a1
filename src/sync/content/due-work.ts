import type { DueResource, DueResources } from '../state/due-resources.ts';

/**
 * Does all that is due, so many at a time, each once.
 * @param stop what is under way is finished, and nothing new begun
 * @throws the first error of `work`, when the others have ended
 */
export async function workThroughDue(
  due: DueResources,
  work: (resource: DueResource) => Promise<void>,
  { atOnce, stop, now }: { atOnce: number; stop: AbortSignal; now: () => string },
): Promise<void> {
  const queue = dueOneByOne(due, now());
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (;;) {
      if (stop.aborted || failure !== undefined) return;
      const next = queue.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failure !== undefined) throw failure.error;
}

/** A page is read when the one before it has been handed out. */
function* dueOneByOne(due: DueResources, now: string): Generator<DueResource> {
  for (let last = 0; ; ) {
    const page = due.after(last, now);
    yield* page;
    const end = page.at(-1)?.id;
    if (end === undefined) return;
    last = end;
  }
}
