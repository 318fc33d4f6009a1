/**
 * Who reads the demo, and what follows from it: while somebody copies, nothing moves, and what a client has been told of
 * stays where it is until it can have been fetched. People with a browser see it move all the same.
 */
export interface Visit {
  /** As asked for, with its query. */
  readonly target: string;
  readonly accept: string | undefined;
  readonly agent: string | undefined;
}

/** Milliseconds. */
export interface Manners {
  /** After a list that leads to resources, and after each resource of a copy. */
  readonly still: number;
  /** After a client has followed the changes: it may want to compare. */
  readonly stillForAudit: number;
  /** What was listed stays for so long. */
  readonly keep: number;
  /** Then a client that comes again and again is waited for as a new one is. */
  readonly longest: number;
}

export const goodManners: Manners = {
  still: 30_000,
  stillForAudit: 120_000,
  keep: 120_000,
  longest: 300_000,
};

interface Client {
  /** The first resources it has read. */
  readonly targets: Set<string>;
  /** Its last list was one of changes. */
  follows: boolean;
  lastVisit: number;
  stillUntil: number;
}

/** Whoever has read so many resources is copying. */
const copierReads = 10;
const maximumClients = 100;

export class Visits {
  readonly #manners: Manners;
  readonly #clients = new Map<string, Client>();
  #listedUntil = 0;
  #movedAt: number;

  /** @param now milliseconds since the epoch, as everywhere here */
  constructor(manners: Manners, now: number) {
    this.#manners = manners;
    this.#movedAt = now;
  }

  /** @returns whether the visitor is to see a state in which all documents agree */
  note({ target, accept, agent = '' }: Visit, now: number): boolean {
    const [path = ''] = target.split('?', 1);
    const kind = kindOf(path, accept);
    if (kind === undefined) return false;
    const client = this.#client(agent, now);
    if (kind === 'resource' && client.targets.size < copierReads) client.targets.add(path);
    const copies = client.targets.size >= copierReads;
    // Who watches what changes is to see something change.
    if (kind === 'changes' && !copies) return true;
    const { still, stillForAudit, keep } = this.#manners;
    this.#listedUntil = now + keep;
    if (kind !== 'resource') client.follows = kind === 'changes';
    if (copies) {
      client.stillUntil = now + (client.follows || kind === 'list' ? stillForAudit : still);
    } else if (now >= client.stillUntil) {
      // A list that is read again and again would stop everything.
      client.stillUntil = now + still;
    }
    client.lastVisit = now;
    return true;
  }

  mayMove(now: number): boolean {
    const patient = now - this.#movedAt < this.#manners.longest;
    return [...this.#clients.values()].every(
      ({ stillUntil, lastVisit }) =>
        now >= (patient ? stillUntil : Math.min(stillUntil, lastVisit + this.#manners.still)),
    );
  }

  mayRemove(now: number): boolean {
    return now >= this.#listedUntil;
  }

  moved(now: number): void {
    this.#movedAt = now;
  }

  #client(agent: string, now: number): Client {
    const known = this.#clients.get(agent);
    if (known) return known;
    const [oldest] = this.#clients.keys();
    if (this.#clients.size >= maximumClients && oldest !== undefined) this.#clients.delete(oldest);
    const client = { targets: new Set<string>(), follows: false, lastVisit: now, stillUntil: 0 };
    this.#clients.set(agent, client);
    return client;
  }
}

/** Undefined: HTML pages, probes of monitors, and whatever else shows no state that could be copied. */
function kindOf(path: string, accept: string | undefined): 'resource' | 'list' | 'changes' | undefined {
  if (/\btext\/html\b/i.test(accept ?? '')) return undefined;
  if (/\/items\/[^/]+\/./.test(path)) return 'resource';
  if (/\/change(?:list|dump)/.test(path)) return 'changes';
  return /\.xml$|\.zip$|\/\.well-known\/|\/robots\.txt$/.test(path) ? 'list' : undefined;
}
