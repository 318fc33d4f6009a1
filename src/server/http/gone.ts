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
  if (response.closed || response.destroyed || response.socket?.destroyed === true) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}
