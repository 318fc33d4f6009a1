import { UpstreamFileError } from '../../../core/files/upstream-files.ts';

/** So many connections to a source's files at a time; whoever comes when the queue is full, or waits too long, is told when to come again. */
export interface ConnectionPlaces {
  /**
   * Call what it resolves to when the connection is free again.
   * @param client whose it is; undefined: nobody's in particular
   * @throws UpstreamFileError `upstream-file-busy`; the signal's reason
   */
  enter(signal: AbortSignal, client?: string): Promise<() => void>;
}

export interface PlaceRules {
  readonly places: number;
  /** Of the places, for one client. */
  readonly share: number;
  readonly longestWaitMs: number;
}

interface Waiter {
  readonly client: string;
  readonly enter: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** Readers who wait hold a connection of ours each. */
const waitersPerPlace = 4;

export function createConnectionPlaces({ places, share, longestWaitMs }: PlaceRules): ConnectionPlaces {
  const longestQueue = places * waitersPerPlace;
  const mostOfOne = Math.max(1, Math.floor(places * share));
  const held = new Map<string, number>();
  const waiting: Waiter[] = [];
  let taken = 0;

  function heldBy(client: string): number {
    return client === '' ? 0 : (held.get(client) ?? 0);
  }

  function mayEnter(client: string): boolean {
    return taken < places && heldBy(client) < mostOfOne;
  }

  function take(client: string): () => void {
    taken += 1;
    held.set(client, (held.get(client) ?? 0) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      taken -= 1;
      const rest = (held.get(client) ?? 1) - 1;
      if (rest > 0) held.set(client, rest);
      else held.delete(client);
      admit();
    };
  }

  /** Whoever has least comes first, and of those who came first. */
  function admit(): void {
    for (let next = nextOf(); next; next = nextOf()) {
      waiting.splice(waiting.indexOf(next), 1);
      next.enter();
    }
  }

  function nextOf(): Waiter | undefined {
    let best: Waiter | undefined;
    for (const waiter of waiting) {
      const isBetter = !best || heldBy(waiter.client) < heldBy(best.client);
      if (isBetter && mayEnter(waiter.client)) best = waiter;
    }
    return best;
  }

  /** A full queue has room for somebody who waits for less than others do. */
  function makeRoom(client: string): boolean {
    if (waiting.length < longestQueue) return true;
    const counts = new Map<string, number>();
    for (const waiter of waiting) counts.set(waiter.client, (counts.get(waiter.client) ?? 0) + 1);
    const [greediest = '', count = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
    if (count <= (counts.get(client) ?? 0) + 1) return false;
    waiting.findLast((waiter) => waiter.client === greediest)?.refuse(busy());
    return true;
  }

  return {
    async enter(signal, client = '') {
      signal.throwIfAborted();
      if (mayEnter(client)) return take(client);
      if (!makeRoom(client)) throw busy();
      return new Promise((resolve, reject) => {
        const settle = () => {
          clearTimeout(patience);
          signal.removeEventListener('abort', giveUp);
        };
        const refuse = (reason: unknown) => {
          settle();
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(reason);
        };
        const giveUp = () => refuse(signal.reason);
        const enter = () => {
          settle();
          resolve(take(client));
        };
        const waiter: Waiter = { client, enter, refuse };
        const patience = setTimeout(() => refuse(busy()), longestWaitMs);
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.push(waiter);
      });
    },
  };
}

/** Nobody's place became free in time. */
export function busy(): UpstreamFileError {
  return new UpstreamFileError(
    'upstream-file-busy',
    'too many files are fetched from the repository at a time (files.proxyConnections)',
    { retryAfterSeconds: 10 },
  );
}
