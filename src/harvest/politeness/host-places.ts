/** Requests of this process at one host: those under way, those that wait, and the slots that let them go. */
export class HostPlace {
  /** Under way, with a slot or without one. */
  used = 0;
  /** When the last one ended. */
  usedAt: number;
  /** Slots of this process, by number. */
  readonly slots = new Map<number, HeldSlot>();
  readonly waiting: Waiter[] = [];
  /** Another process waits: one of the slots is given back as soon as its request has ended. */
  yields = false;
  /** Before that nothing is taken again: whoever waits elsewhere has its turn. */
  coolUntil = 0;

  constructor(now: number) {
    this.usedAt = now;
  }

  mayAsk(now: number): boolean {
    let usable = this.yields ? -1 : 0;
    for (const { until } of this.slots.values()) if (until > now) usable += 1;
    return this.used < usable;
  }

  isIdle(): boolean {
    return this.used === 0 && this.waiting.length === 0;
  }

  /** Slots without a request, the youngest first. */
  free(): readonly number[] {
    const spare = Math.max(0, this.slots.size - this.used);
    return spare === 0 ? [] : [...this.slots.keys()].slice(-spare);
  }
}

export interface HeldSlot {
  readonly since: number;
  /** Nothing is asked with it from then on, unless it was renewed. */
  until: number;
}

export interface Waiter {
  readonly places: number;
  readonly enter: () => void;
}
