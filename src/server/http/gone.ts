import type { ServerResponse } from 'node:http';

const signals = new WeakMap<ServerResponse, AbortSignal>();

/**
 * Aborted when the connection of whoever asked has ended, even if it had when this was asked for (or when the
 * answer is complete). What is opened for an answer is tied to this.
 */
export function goneSignal(response: ServerResponse): AbortSignal {
  const known = signals.get(response);
  if (known) return known;
  const gone = new AbortController();
  signals.set(response, gone.signal);
  if (isGone(response)) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}

/** The same, of now: an answer from memory is tied to nothing. */
export function isGone({ closed, destroyed, socket }: ServerResponse): boolean {
  return closed || destroyed || socket?.destroyed === true;
}
