/** Octets that may lie on the disk; what is under way counts. */
export interface Quota {
  /** False, and nothing is taken, when it would be too much; for less there may still be room. */
  take(octets: number): boolean;
  /** Whether they could be taken now. */
  hasRoomFor(octets: number): boolean;
  giveBack(octets: number): void;
  /** Something was not taken for lack of room. */
  readonly wasShort: boolean;
}

/** @param limit undefined: none */
export function createQuota(limit: number | undefined, used: number): Quota {
  let taken = used;
  let wasShort = false;
  const hasRoomFor = (octets: number) => {
    const fits = limit === undefined || taken + octets <= limit;
    wasShort ||= !fits;
    return fits;
  };
  return {
    take(octets) {
      if (!hasRoomFor(octets)) return false;
      taken += octets;
      return true;
    },
    hasRoomFor,
    giveBack(octets) {
      taken -= octets;
    },
    get wasShort() {
      return wasShort;
    },
  };
}

/** What one download takes of the quota: as much as is announced, and more as more comes. */
export class Room {
  readonly #quota: Quota;
  #taken = 0;

  constructor(quota: Quota) {
    this.#quota = quota;
  }

  reach(octets: number): boolean {
    if (octets <= this.#taken) return true;
    if (!this.#quota.take(octets - this.#taken)) return false;
    this.#taken = octets;
    return true;
  }

  clear(): void {
    this.#quota.giveBack(this.#taken);
    this.#taken = 0;
  }
}
