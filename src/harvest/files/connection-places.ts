import { UpstreamFileError } from '../../core/upstream-files.ts';
import { createHostGate } from '../host-gate.ts';

/** So many connections to a source's files at a time; whoever comes when the queue is full, or waits too long, is told when to come again. */
export interface ConnectionPlaces {
  /**
   * Call what it resolves to when the connection is free again.
   * @throws UpstreamFileError `upstream-file-busy`; the signal's reason
   */
  enter(signal: AbortSignal): Promise<() => void>;
}

const only = 'connections';
/** Readers who wait hold a connection of ours each. */
const waitersPerPlace = 4;

export function createConnectionPlaces(places: number, longestWaitMs: number): ConnectionPlaces {
  const gate = createHostGate();
  let waiting = 0;
  return {
    async enter(signal) {
      if (waiting > places * waitersPerPlace) throw busy();
      const patience = AbortSignal.timeout(longestWaitMs);
      waiting += 1;
      try {
        return await gate.enter(only, places, AbortSignal.any([signal, patience]));
      } catch (error) {
        if (patience.aborted && !signal.aborted) throw busy();
        throw error;
      } finally {
        waiting -= 1;
      }
    },
  };
}

function busy(): UpstreamFileError {
  return new UpstreamFileError(
    'upstream-file-busy',
    'as many files as may be are on their way from the repository',
    { retryAfterSeconds: 10 },
  );
}
