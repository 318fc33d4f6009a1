import type { HttpResponse } from '../../../src/core/adapter.ts';

/** Most responses are smaller; of a larger one the rest stays where it is until it is wanted. */
const heldBytes = 4 * 1024 * 1024;

/**
 * A response that is read before anybody wants it, into memory up to a limit: as long as a body is on its way it
 * takes a place at its host, and what is done with the page before may need that place, to ask for files.
 */
export function readEagerly(response: HttpResponse, limit = heldBytes): HttpResponse {
  const pieces = response.body[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  const filling = fill();
  // Whoever reads gets it.
  filling.catch(() => undefined);

  /** @returns whether that was all */
  async function fill(): Promise<boolean> {
    for (let length = 0; length < limit; ) {
      const next = await pieces.next();
      if (next.done) return true;
      held.push(next.value);
      length += next.value.byteLength;
    }
    return false;
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    const outcome = await filling.catch((error: unknown) => ({ error }));
    yield* held.splice(0);
    if (typeof outcome === 'object') throw outcome.error;
    if (!outcome) yield* { [Symbol.asyncIterator]: () => pieces };
  }

  return { ...response, body: read(), discard: () => response.discard() };
}
