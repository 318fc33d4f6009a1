import { eitherOf } from '../../core/either-signal.ts';
import { failure } from '../../core/errors.ts';
import type { Bridge } from '../bridge.ts';

/** Looks for work again and again, until it is stopped. */
export interface Watch {
  stop(): Promise<void>;
}

export interface WakeableWatch extends Watch {
  /** It looks now, or once more after the look that is under way. */
  wake(): void;
}

const pauseMs = 2000;

/**
 * @param failed what is logged when a look fails; it goes on all the same
 * @param look tells how many milliseconds to wait before the next one, where that is not as usual
 */
export function startWatch(
  { clock, log }: Pick<Bridge, 'clock' | 'log'>,
  stop: AbortSignal,
  failed: string,
  look: (signal: AbortSignal) => Promise<number | undefined>,
): WakeableWatch {
  const stopped = new AbortController();
  const signal = eitherOf(stop, stopped.signal);

  let rest = new AbortController();
  signal.addEventListener('abort', () => rest.abort(), { once: true });

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      rest = new AbortController();
      const restMs = await look(signal).catch((error: unknown) => {
        if (!signal.aborted) log.error({ ...failure(error) }, failed);
        return undefined;
      });
      await clock.sleep(restMs ?? pauseMs, rest.signal).catch(() => undefined);
    }
  }

  const watching = watch();
  return {
    wake: () => rest.abort(),
    stop: async () => {
      stopped.abort();
      await watching;
    },
  };
}
