import { setImmediate } from 'node:timers/promises';

/** The end of one response, the place at the host that it frees, the next request. */
const turns = 3;

/**
 * Asks for the next value while the current one is being worked on: the next page travels and is parsed
 * while this one is stored. Holds at most one value in advance; whoever stops early aborts `leaving`, so
 * that nobody waits for a value that nobody wants.
 */
export async function* readAhead<T>(
  values: AsyncIterable<T>,
  leaving: AbortController,
): AsyncGenerator<T, void, undefined> {
  const iterator = values[Symbol.asyncIterator]();
  try {
    let pending = iterator.next();
    for (;;) {
      const result = await pending;
      if (result.done) return;
      pending = iterator.next();
      // Its failure belongs to whoever asks for it next, not to the process.
      pending.catch(() => undefined);
      // Storing on SQLite leaves the event loop no turn: the request has to be out before it begins.
      for (let turn = 0; turn < turns; turn += 1) await setImmediate();
      yield result.value;
    }
  } finally {
    leaving.abort();
    await iterator.return?.(undefined)?.catch(() => undefined);
  }
}
