import type pg from 'pg';

/** What is said of a connection that we have given up; to each a new one: the statement is written into it. */
export class DatabaseAway extends Error {
  /** As of a connection that the system gave up. */
  readonly code = 'ETIMEDOUT';
}

/** As `pg` has it, with the socket that it has and does not show. */
export type Connection = pg.Client & {
  readonly processID?: number | null;
  readonly connection: { readonly stream: { destroy(error: Error): void } };
  /** Says to knex that nobody is to have it any more, and why. */
  __knex__disposed?: unknown;
};

export interface ReachSettings {
  /** So long PostgreSQL may be silent. */
  readonly timeoutMs: number;
  /** A connection beside those of the pool, opened. */
  readonly connect: () => Promise<Connection>;
}

interface Question {
  readonly since: number;
  /** PostgreSQL did nothing for it when it was looked at last. */
  isIdle: boolean;
}

const lookEveryMs = 1000;

/**
 * Whether PostgreSQL is there. A network that swallows what it is given closes no connection: whoever waits for an answer
 * would wait for a quarter of an hour, or for ever. How long a statement takes says nothing, so when one has not been
 * answered for a while, another connection is opened to ask whether it is still at work. While nobody answers, whoever
 * wants a connection is told so at once.
 */
export class PostgresReach {
  readonly #settings: ReachSettings;
  readonly #all = new Set<Connection>();
  readonly #asked = new Map<Connection, Question>();
  readonly #waiting = new Set<(error: Error) => void>();
  #timeline: string | undefined;
  #servers = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  #isAway = false;
  #isLooking = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: ReachSettings) {
    this.#settings = settings;
  }

  /** How many servers there have been, one after the other: another number, and what was read before may never have been. */
  get servers(): number {
    return this.#servers;
  }

  /** Of the pool from now on, until it ends. */
  add(connection: Connection): void {
    this.#heard();
    this.#all.add(connection);
    connection.once('end', () => {
      this.#all.delete(connection);
      this.#asked.delete(connection);
    });
  }

  /**
   * Where it leads to another server than those before it, these are given up: what is left of a primary may answer for seconds
   * while its replica is the primary already, and knows what that does not.
   * @param timeline of the server's log
   */
  leads(connection: Connection, timeline: string): void {
    if (timeline === this.#timeline) return;
    this.#timeline = timeline;
    this.#servers += 1;
    this.#giveUp(new DatabaseAway('it leads to another server'), connection);
  }

  /** A connection was not to be had. @param since when it was asked for */
  failed(error: unknown, since: number): void {
    if (isAnswer(error)) this.#heard();
    else if (isSilence(error) && this.#heardAt < since) this.#lose();
  }

  ask(connection: Connection): void {
    this.#asked.set(connection, { since: performance.now(), isIdle: false });
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs).unref();
  }

  answered(connection: Connection, error?: unknown): void {
    this.#asked.delete(connection);
    if (error === undefined || isAnswer(error)) this.#heard();
    // Who was the primary is not any more, or is about to end: the others of the pool lead there, too.
    if (isElsewhere(error)) this.#giveUp(error);
  }

  /** Nobody who asks for one from now on gets one of these. */
  #giveUp(why: unknown, except?: Connection): void {
    for (const one of this.#all) if (one !== except) one.__knex__disposed ??= why;
  }

  /** @throws DatabaseAway as soon as it is; what comes after that is given back by `late` */
  async unlessAway<T>(wanted: () => Promise<T>, late: (value: T) => void): Promise<T> {
    if (this.#isAway) throw this.#silence();
    return new Promise<T>((resolve, reject) => {
      let isOver = false;
      const giveUp = (error: Error) => {
        isOver = true;
        reject(error);
      };
      this.#waiting.add(giveUp);
      wanted().then(
        (value) => {
          this.#waiting.delete(giveUp);
          if (isOver) late(value);
          else resolve(value);
        },
        (error: unknown) => {
          this.#waiting.delete(giveUp);
          reject(error);
        },
      );
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#isAway = false;
  }

  #heard(): void {
    this.#heardAt = performance.now();
    this.#isAway = false;
  }

  #lose(): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs).unref();
    for (const connection of this.#all) connection.connection.stream.destroy(this.#silence());
    for (const giveUp of this.#waiting) giveUp(this.#silence());
    this.#waiting.clear();
  }

  #silence(): DatabaseAway {
    return new DatabaseAway(`no answer within ${this.#settings.timeoutMs / 1000} seconds`);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    const began = performance.now();
    const isSilent = ({ since }: Question) => began - since >= this.#settings.timeoutMs;
    const silent = [...this.#asked].filter(([, question]) => isSilent(question));
    if (silent.length === 0 && !this.#isAway) return;
    this.#isLooking = true;
    try {
      const probe = await this.#settings.connect();
      this.#heard();
      try {
        if (silent.length > 0) await this.#inspect(probe, silent);
      } finally {
        probe.connection.stream.destroy(new DatabaseAway('it has said what we asked for'));
      }
    } catch (error) {
      this.failed(error, began);
    } finally {
      this.#isLooking = false;
    }
  }

  /** A backend that is gone, or has been idle at two looks, will not answer any more. */
  async #inspect(probe: Connection, silent: readonly (readonly [Connection, Question])[]): Promise<void> {
    const pids = silent.flatMap(([{ processID }]) => processID ?? []);
    const backends = await this.#backends(probe, pids);
    if (!backends) return;
    for (const [connection, question] of silent) {
      if (this.#asked.get(connection) !== question) continue;
      const state = backends.get(connection.processID ?? 0);
      const isIdle = state?.startsWith('idle') ?? false;
      if (state !== undefined && !(isIdle && question.isIdle)) question.isIdle = isIdle;
      else connection.connection.stream.destroy(new DatabaseAway('it has lost our connection'));
    }
  }

  /** What each is doing; undefined where that cannot be told: behind a pooler they are nobody's. */
  async #backends(
    probe: Connection,
    pids: readonly number[],
  ): Promise<ReadonlyMap<number, string> | undefined> {
    const text = `select pid, coalesce(state, '') as state from pg_stat_activity where pid = pg_backend_pid() or pid = any($1)`;
    const timeout = { query_timeout: this.#settings.timeoutMs };
    const { rows } = await probe
      .query<{ pid: number; state: string }>({ text, values: [pids], ...timeout })
      .catch(() => ({ rows: [] }));
    const found = new Map(rows.map(({ pid, state }) => [pid, state]));
    return found.has(probe.processID ?? 0) ? found : undefined;
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}

/** PostgreSQL has said so itself: five letters or digits, the class of them first. */
function isAnswer(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error)) && codeOf(error) !== 'EPIPE';
}

function isSilence(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return (
    ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'].includes(codeOf(error)) || message === 'timeout expired'
  );
}

function isElsewhere(error: unknown): boolean {
  return ['25006', '57P01', '57P02', '57P03'].includes(codeOf(error));
}
