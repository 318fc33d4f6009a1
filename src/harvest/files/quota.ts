/** Octets that may lie on the disk; what is under way counts. */
export interface Quota {
  /** False, and nothing is taken, when it would be too much. */
  take(octets: number): boolean;
  giveBack(octets: number): void;
  readonly isFull: boolean;
}

/** @param limit undefined: none */
export function createQuota(limit: number | undefined, used: number): Quota {
  let taken = used;
  let isFull = false;
  return {
    take(octets) {
      if (limit !== undefined && taken + octets > limit) {
        isFull = true;
        return false;
      }
      taken += octets;
      return true;
    },
    giveBack(octets) {
      taken -= octets;
    },
    get isFull() {
      return isFull;
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
