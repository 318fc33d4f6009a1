import { setMaxListeners } from 'node:events';

/**
 * Aborted as soon as one of them is. As many may wait for it as there are sources, hosts or files at work side by side;
 * each takes its listener away when its wait ends, so that more than ten of them are a crowd and no leak.
 */
export function eitherOf(...signals: readonly AbortSignal[]): AbortSignal {
  return forCrowd(AbortSignal.any([...signals]));
}

/** As above, of a signal that there is. */
export function forCrowd(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}
