import { setMaxListeners } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { askOn, connectionWithin, type Pool, within } from './pool.ts';
import type { Floor, Primary } from './primary.ts';

export interface ReplicaState {
  /** Host, port and database. */
  readonly name: string;
  /** What is wrong with it, in words; undefined: nothing. */
  readonly fault: string | undefined;
  /** Octets of the log that it has still to replay. */
  readonly behind: number | undefined;
}

interface Standing {
  readonly system: string;
  readonly timeline: string;
  readonly isStandby: boolean;
  readonly position: number | null;
}

/** Who follows by a stream says on which timeline; who reads an archive, since its last restart point. */
const standingStatement = `
  select system_identifier::text as system, pg_is_in_recovery() as "isStandby",
    (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint as position,
    upper(lpad(to_hex(coalesce(
      (select received_tli from pg_stat_wal_receiver), (select timeline_id from pg_control_checkpoint())
    )), 8, '0')) as timeline
  from pg_control_system()`;

const positionStatement = `
  select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint end as position`;

/** So often it is asked whether it is still a replica of ours, while it is used or wanted. */
const lookEveryMs = 1000;
/** Who waits longer for a connection, or for what is said on it first, asks the primary. */
const connectionMs = 250;
/** A server that says nothing for so long when it is looked at is away. */
const silenceMs = 2000;
/** A replica on a network nearby replays a commit within a few milliseconds. */
const waits = [0, 2, 5, 10];
/** It is behind: nobody asks it for so long. */
const behindMs = 100;
/** What a connection has said counts for so long: a pooler may lead it to a server that was restarted, further back. */
const saidMs = 200;

/** One server that replays the log of the primary, and is asked only where it has replayed enough of it. */
export class Replica {
  readonly pool: Pool;
  readonly #name: string;
  readonly #looks: Pool;
  readonly #primary: Primary;
  /** How far the server of a connection has come, when it was asked on it. */
  readonly #positions = new WeakMap<object, { readonly position: number; readonly at: number }>();
  #timeline: string | undefined;
  /** Aborted when it gives out: who waits for it then waits no longer. */
  #use = new AbortController();
  #looking: Promise<ReplicaState> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #behindUntil = Number.NEGATIVE_INFINITY;

  /** @param looks other connections than those that answer, which may all be busy */
  constructor(name: string, { pool, looks }: { pool: Pool; looks: Pool }, primary: Primary) {
    this.#name = name;
    this.pool = pool;
    this.#looks = looks;
    this.#primary = primary;
  }

  /** Whether it is worth asking the primary how far it is. Looks after it, and keeps nobody waiting for that. */
  isWanted(): boolean {
    const now = performance.now();
    if (now - this.#lookedAt >= lookEveryMs) void this.look();
    return this.#timeline !== undefined && now >= this.#behindUntil;
  }

  /** A connection to a server that knows everything below the floor; the caller gives it back. */
  async connection(floor: Floor): Promise<object | undefined> {
    if (floor.timeline !== this.#timeline) return undefined;
    const connection = await connectionWithin(this.pool, connectionMs).catch(() => undefined);
    if (!connection) return undefined;
    const reached = this.#reaches(connection, floor);
    try {
      if (await within(connectionMs, reached)) return connection;
    } catch {
      this.gaveOut();
    }
    // Not before it is free again.
    void reached.catch(() => undefined).then(() => this.pool.releaseConnection(connection));
    return undefined;
  }

  /** Ends the wait for what was asked of it when it gives out. */
  async unlessOut<T>(asked: Promise<T>): Promise<T> {
    const { signal } = this.#use;
    return new Promise<T>((resolve, reject) => {
      const giveUp = () => reject(new Error(`${this.#name} does not answer`));
      signal.addEventListener('abort', giveUp, { once: true });
      asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
    });
  }

  /** It failed: it is not asked again before it was looked at. */
  gaveOut(): void {
    this.#timeline = undefined;
    this.#use.abort();
    this.#use = new AbortController();
    setMaxListeners(0, this.#use.signal);
  }

  /** Whether it is a replica of this primary, and how far behind. */
  look(): Promise<ReplicaState> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#lookedAt = performance.now();
    });
    return this.#looking;
  }

  async #reaches(connection: object, floor: Floor): Promise<boolean> {
    const known = this.#positions.get(connection);
    if (known && known.position >= floor.position && performance.now() - known.at < saidMs) return true;
    for (const wait of waits) {
      if (wait > 0) await after(wait);
      const at = performance.now();
      const { position } = await askOn<{ position: number | null }>(this.pool, connection, positionStatement);
      if (position === null) {
        this.gaveOut();
        return false;
      }
      this.#positions.set(connection, { position, at });
      if (position >= floor.position) return true;
    }
    this.#behindUntil = performance.now() + behindMs;
    return false;
  }

  async #look(): Promise<ReplicaState> {
    const state = (fault: string | undefined, behind?: number) => ({ name: this.#name, fault, behind });
    try {
      const [standing, system] = [await this.#standing(), await this.#primary.system()];
      const floor = await this.#primary.floor();
      const fault = faultOf(standing, system, floor);
      if (fault === undefined) this.#timeline = standing.timeline;
      else this.gaveOut();
      return state(fault, Math.max(0, floor.position - (standing.position ?? 0)));
    } catch (error) {
      this.gaveOut();
      return state(`it does not answer (${error instanceof Error ? error.message : String(error)})`);
    }
  }

  async #standing(): Promise<Standing> {
    const connection = await connectionWithin(this.#looks, silenceMs);
    const said = askOn<Standing>(this.#looks, connection, standingStatement);
    void said.catch(() => undefined).then(() => this.#looks.releaseConnection(connection));
    return within(silenceMs, said);
  }
}

function faultOf(standing: Standing, system: string, floor: Floor): string | undefined {
  if (standing.system !== system) return 'it is not a replica of this database, but another one';
  if (!standing.isStandby) return 'it is not a replica: it takes changes itself';
  if (standing.timeline !== floor.timeline)
    return `it follows another timeline (${standing.timeline}) than the primary (${floor.timeline}), as after a failover`;
  return undefined;
}
