/** How many may be at one place at a time: requests at a host, over all sources; harvests. */
export interface HostGate {
  /** Waits for a place; call what it resolves to when the response has been read. */
  enter(host: string, places: number, signal: AbortSignal): Promise<() => void>;
  /**
   * Nobody is to ask anything of the host before this moment, in milliseconds since the epoch.
   * @param reason for people
   */
  rest(host: string, until: number, reason?: string): void;
  /** Milliseconds that the host is to be left alone. */
  restOf(host: string, now: number): number;
}

interface Queue {
  taken: number;
  readonly waiting: { places: number; enter: () => void }[];
}

/** Of this process alone. */
export function createHostGate(): HostGate {
  const queues = new Map<string, Queue>();
  const rests = new Map<string, number>();

  function leave(host: string, queue: Queue): void {
    queue.taken -= 1;
    const next = queue.waiting[0];
    if (next && queue.taken < next.places) {
      queue.waiting.shift();
      queue.taken += 1;
      next.enter();
    } else if (queue.taken === 0 && queue.waiting.length === 0) {
      queues.delete(host);
    }
  }

  return {
    rest(host, until) {
      rests.set(host, Math.max(until, rests.get(host) ?? 0));
    },
    restOf(host, now) {
      const rest = (rests.get(host) ?? 0) - now;
      if (rest <= 0) rests.delete(host);
      return Math.max(0, rest);
    },
    async enter(host, places, signal) {
      signal.throwIfAborted();
      const queue = queues.get(host) ?? { taken: 0, waiting: [] };
      queues.set(host, queue);
      if (queue.taken < places) {
        queue.taken += 1;
      } else {
        await waitFor(queue, places, signal);
      }
      let left = false;
      return () => {
        if (!left) leave(host, queue);
        left = true;
      };
    },
  };
}

/**
 * A gate at which some hosts are one place: names of one machine.
 * @param isOne whether a host is one of them
 */
export function gateOfGroup(gate: HostGate, group: string, isOne: (host: string) => boolean): HostGate {
  const placeOf = (host: string) => (isOne(host) ? placeOfGroup(group) : host);
  return {
    enter: (host, places, signal) => gate.enter(placeOf(host), places, signal),
    rest: (host, until, reason) => gate.rest(placeOf(host), until, reason),
    restOf: (host, now) => gate.restOf(placeOf(host), now),
  };
}

/** What the names of one machine are called together. */
export function placeOfGroup(group: string): string {
  return `group ${group}`;
}

/** Where requests to a source wait: its host, or all the names of one machine. */
export function placeOfSource({ url, politenessGroup: group }: PlacedSource): string {
  return group === undefined ? new URL(url).host : placeOfGroup(group);
}

interface PlacedSource {
  readonly url: string;
  readonly politenessGroup?: string | undefined;
}

/** A gate of which it is known whether anything is under way: who waits there, or for the end of a rest, asks nothing. */
export function watchedGate(gate: HostGate): { readonly gate: HostGate; readonly isAsking: () => boolean } {
  let held = 0;
  const enter: HostGate['enter'] = async (host, places, signal) => {
    const leave = await gate.enter(host, places, signal);
    held += 1;
    let left = false;
    return () => {
      if (!left) held -= 1;
      left = true;
      leave();
    };
  };
  const { rest, restOf } = gate;
  return { gate: { enter, rest: rest.bind(gate), restOf: restOf.bind(gate) }, isAsking: () => held > 0 };
}

/** Where files are fetched for readers: places of their own, and the same rests. */
export function gateForReaders(gate: HostGate): HostGate {
  return {
    enter: (host, places, signal) => gate.enter(`files at ${host}`, places, signal),
    rest: (host, until, reason) => gate.rest(host, until, reason),
    restOf: (host, now) => gate.restOf(host, now),
  };
}

function waitFor(queue: Queue, places: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      queue.waiting.splice(queue.waiting.indexOf(place), 1);
      reject(signal.reason);
    };
    const place = {
      places,
      enter: () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      },
    };
    queue.waiting.push(place);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
