import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool } from './pool.ts';
import type { Floor, Primary } from './primary.ts';
import type { Replica } from './replica.ts';

/** What one request has read so far decides where it reads on: what it has seen once it sees again. */
interface Reading {
  floor?: { readonly said: Promise<Floor>; readonly askedAt: number };
  at?: Replica | 'primary';
}

/** A connection, the pool that it goes back to, and the replica that that one leads to. */
export interface Lent {
  readonly pool: Pool;
  readonly replica: Replica | undefined;
  readonly connection: object;
}

/** A request that takes longer is told anew what has been committed since. */
const floorMs = 1000;

/**
 * Where what only reads is asked: at a replica that knows everything that the primary had committed when the request came,
 * and otherwise at the primary. What was withdrawn is thus withdrawn everywhere at once, however far a replica is behind.
 */
export class Routes {
  readonly primary: Pool;
  readonly #floors: Primary;
  readonly #replicas: readonly Replica[];
  readonly #requests = new AsyncLocalStorage<Reading>();
  #turn = 0;

  /** @param primary for readers; `floors` has another pool, so that it is not kept waiting by them */
  constructor(primary: Pool, floors: Primary, replicas: readonly Replica[]) {
    this.primary = primary;
    this.#floors = floors;
    this.#replicas = replicas;
  }

  /** All that is read while `work` and what it begins goes on belongs together. */
  asOne<T>(work: () => T): T {
    return this.#requests.run({}, work);
  }

  /** What this request reads from now on it reads at the primary: it has written, or a replica has failed. */
  stay(): void {
    const reading = this.#requests.getStore();
    if (reading) reading.at = 'primary';
  }

  async connection(): Promise<Lent> {
    const reading = this.#requests.getStore() ?? {};
    const lent = reading.at === 'primary' ? undefined : await this.#atReplica(reading);
    if (lent) return lent;
    reading.at = 'primary';
    return { pool: this.primary, replica: undefined, connection: await this.primary.acquireConnection() };
  }

  failed(replica: Replica, error: unknown): void {
    this.stay();
    if (!isOfStatement(error)) replica.gaveOut();
  }

  async #atReplica(reading: Reading): Promise<Lent | undefined> {
    this.#turn = (this.#turn + 1) % this.#replicas.length;
    const inTurn = [...this.#replicas.slice(this.#turn), ...this.#replicas.slice(0, this.#turn)];
    const candidates = (reading.at instanceof Object ? [reading.at] : inTurn).filter((one) => one.isWanted());
    if (candidates.length === 0) return undefined;
    const floor = await this.#floorOf(reading).catch(() => undefined);
    for (const replica of floor ? candidates : []) {
      const connection = floor && (await replica.connection(floor));
      if (!connection) continue;
      // Another statement of the same request was asked at the primary meanwhile.
      if (reading.at === 'primary') {
        await replica.pool.releaseConnection(connection);
        return undefined;
      }
      reading.at = replica;
      return { pool: replica.pool, replica, connection };
    }
    return undefined;
  }

  #floorOf(reading: Reading): Promise<Floor> {
    const now = performance.now();
    if (!reading.floor || now - reading.floor.askedAt >= floorMs)
      reading.floor = { said: this.#floors.floor(), askedAt: now };
    return reading.floor.said;
  }
}

/** The server is well: it ended this statement, or did not like it. */
function isOfStatement(error: unknown): boolean {
  const code = String((error as { code?: unknown } | undefined)?.code ?? '');
  return /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|53|57P|58|XX|EPIPE)/.test(code);
}
