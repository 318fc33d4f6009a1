import { forCrowd } from '../../core/either-signal.ts';
import { refusal } from '../../core/errors.ts';

/** The time an exchange may take; it stands still while the exchange waits for its turn. */
export interface Deadline {
  /** Aborted with a BridgeError when the time is up, and with the caller's reason when the caller aborts. */
  readonly signal: AbortSignal;
  run(): void;
  pause(): void;
  /** From now on what comes late is a body, not an answer. */
  answered(): void;
  /** To be called once, whatever happened. */
  end(): void;
}

/**
 * @param milliseconds undefined: no end
 * @param who is said to have taken too long
 */
export function createDeadline(milliseconds: number | undefined, who: string, outer: AbortSignal): Deadline {
  const nothing = () => undefined;
  if (milliseconds === undefined) {
    return { signal: outer, run: nothing, pause: nothing, answered: nothing, end: nothing };
  }
  const controller = new AbortController();
  // Many may wait for it at a time.
  forCrowd(controller.signal);
  const follow = () => controller.abort(outer.reason);
  if (outer.aborted) follow();
  else outer.addEventListener('abort', follow, { once: true });
  let left = milliseconds;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  let code: 'upstream-unreachable' | 'upstream-cut-off' = 'upstream-unreachable';

  function pause(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    left -= performance.now() - since;
  }

  return {
    signal: controller.signal,
    run() {
      if (timer !== undefined) return;
      since = performance.now();
      timer = setTimeout(
        () =>
          controller.abort(
            refusal(code, 'took-longer', { who, seconds: milliseconds / 1000 }, { retryable: true }),
          ),
        Math.max(0, left),
      );
    },
    pause,
    answered() {
      code = 'upstream-cut-off';
    },
    end() {
      pause();
      outer.removeEventListener('abort', follow);
    },
  };
}
