import { BridgeError } from '../../core/errors.ts';
import type { ObjectStore, OpenObject } from '../../core/payloads/object-store.ts';

/** So long without an answer, and whoever asked is told to come again. */
const patienceMs = 20_000;

/**
 * For whoever keeps somebody waiting meanwhile.
 * @returns undefined when nothing is under this name
 * @throws BridgeError `objects-unavailable`, `objects-refused`: nothing is known of it then
 */
export async function getPatiently(
  store: ObjectStore,
  key: string,
  range: { readonly start?: number; readonly end?: number } = {},
): Promise<OpenObject | undefined> {
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), patienceMs);
  try {
    return await store.get(key, { ...range, signal: enough.signal });
  } catch (cause) {
    if (!enough.signal.aborted) throw cause;
    const message = `${store.place} does not answer to read ${key}`;
    throw new BridgeError('objects-unavailable', message, { cause, retryable: true });
  } finally {
    clearTimeout(timer);
  }
}
