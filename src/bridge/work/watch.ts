import { eitherOf } from '../../core/either-signal.ts';
import { failure } from '../../core/errors.ts';
import type { Bridge } from '../bridge.ts';

/** Looks for work again and again, until it is stopped. */
export interface Watch {
  stop(): Promise<void>;
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
): Watch {
  const stopped = new AbortController();
  const signal = eitherOf(stop, stopped.signal);

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      const restMs = await look(signal).catch((error: unknown) => {
        if (!signal.aborted) log.error({ ...failure(error) }, failed);
        return undefined;
      });
      await clock.sleep(restMs ?? pauseMs, signal).catch(() => undefined);
    }
  }

  const watching = watch();
  return {
    stop: async () => {
      stopped.abort();
      await watching;
    },
  };
}
