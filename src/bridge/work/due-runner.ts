import type { Log } from '../../core/adapter.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { describeError, failure } from '../../core/errors.ts';
import { nextAttempt, nextDueAfterRest } from '../../core/time/next-due.ts';
import type { Database } from '../../store/engine/database.ts';
import { type Claim, type DueKind, type DueWork, planWork } from '../../store/runs/due.ts';
import {
  type Choice,
  claimNext,
  freeClaimsOfDead,
  longestWaiting,
  type Outcome,
  releaseClaim,
  renewClaims,
  settleClaim,
} from '../../store/runs/due-claims.ts';
import { type Plan, workOf } from './due-plans.ts';

/** How a piece of work ended that did not fail: `yielded` goes on later, `put-off` could not be done now. */
export type Ending = 'done' | 'yielded' | 'put-off';

export interface WorkSignals {
  /** It is to end soon: it is not wanted any more, or another process works on it. */
  readonly stop: AbortSignal;
  /** Others have waited for long: it is to leave its place where it can go on later. */
  readonly yield: AbortSignal;
}

export interface RunnerDeps {
  readonly database: Database;
  readonly log: Log;
  /** By the clock of the database. */
  readonly now: () => Promise<number>;
  /** Milliseconds that pass whatever the clocks say. */
  readonly steady: () => number;
  /** 0 and more and less than 1. */
  readonly chance: () => number;
  /** The name of this process. */
  readonly holder: string;
  /** Sources that are worked on side by side. */
  readonly places: number;
  /** Sources that were read before; the others do not wait for their schedule. Undefined: all wait for it. */
  readonly begun?: (() => Promise<ReadonlySet<string>>) | undefined;
  /** Turns of its schedule that are left out once it was done. Undefined: none. */
  readonly rest?: ((work: DueWork) => Promise<number>) | undefined;
  /** Told when there is a place again where there was none. */
  readonly freed?: (() => void) | undefined;
  /** Throws what is to be counted as a failure. */
  readonly perform: (work: DueWork, signals: WorkSignals) => Promise<Ending>;
}

/** Work that takes longer keeps a place that others may want. */
const shortMs = 60_000;
/** Among those who take long a change of places is worth it more rarely: each costs a request or two. */
const turnOfLongMs = 600_000;
/** So long somebody waits before another one is asked to yield. */
const patienceMs = 30_000;
/** From asking one to yield to asking the next. */
const yieldEveryMs = 10_000;
/** What could not be done now is tried again after this share of a lease, or half of it: whoever has it may be dead. */
const putOffShare = 1 / 3;
/** A clock that was corrected by less has changed nothing of what is due. */
const setBackMs = 60_000;
/** Looks for those who died, every so many looks. */
const looksPerInquest = 5;

const ofSources: readonly DueKind[] = ['harvest', 'full', 'identifiers', 'asked'];
/** Of sources that are not configured any more; one at a time. */
const removing: readonly DueKind[] = ['removal', 'removal-at-once'];
const publishing: readonly DueKind[] = ['lists', 'dumps'];

interface Running {
  readonly claim: Claim;
  /** By `steady`. */
  readonly began: number;
  readonly lost: AbortController;
  readonly yield: AbortController;
}

interface Ended {
  readonly claim: Claim;
  readonly ending: Ending | 'failed';
  /** Why it failed. */
  readonly reason: string | undefined;
  readonly isLong: boolean;
  /** Turns that are left out. */
  readonly rest: number;
}

/**
 * Does what is due, with every other process at the database: each takes what it has places for. What takes long has half
 * of the places at most, and leaves its own at the end of a page when others have waited.
 */
export class DueRunner {
  readonly #deps: RunnerDeps;
  readonly #running = new Map<string, Running>();
  readonly #stopping = new AbortController();
  /** Has ended, and the database does not know yet. */
  #unsettled: Ended[] = [];
  #plans: ReadonlyMap<string, Plan> = new Map();
  #sources: readonly string[] = [];
  /** What runs, and what is written of it when it has ended. */
  readonly #ending = new Set<Promise<void>>();
  #isPlanned = false;
  /** By how much the clock of the database was ahead of `steady` when it was looked at last. */
  #ahead = Number.NEGATIVE_INFINITY;
  /** The clock was set back, and nothing has been planned since. */
  #wasAhead = false;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #askedToYieldAt = Number.NEGATIVE_INFINITY;
  #looks = 0;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** By these plans from the next look on. */
  follow(plans: readonly Plan[]): void {
    this.#plans = new Map(plans.map((plan) => [keyOf(plan), plan]));
    this.#sources = [...new Set(plans.map(({ source }) => source))].filter((source) => source !== '');
    this.#isPlanned = false;
  }

  /** Whether this process, and no other one, works on it. */
  has(work: DueWork): boolean {
    const running = this.#running.get(keyOf(work));
    const age = this.#deps.steady() - this.#renewedAt;
    return running !== undefined && !running.lost.signal.aborted && age < this.#deps.database.leaseMs;
  }

  /** Takes what is due now, as far as there are places. */
  async look(): Promise<void> {
    const { database, steady } = this.#deps;
    const now = await this.#deps.now();
    if (steady() - this.#renewedAt >= database.leaseMs / 4) await this.#renew(now);
    await this.#settleAll();
    this.#watchClock(now);
    if (!this.#isPlanned) await this.#plan(now);
    if (this.#looks % looksPerInquest === 0) await freeClaimsOfDead(database);
    this.#looks += 1;
    while (await this.#take({ sources: [''], kinds: this.#ofInstallation(), withLong: true }, now));
    if (!this.#isRemoving()) await this.#take({ sources: undefined, kinds: removing, withLong: true }, now);
    while (this.#free() > 0 && (await this.#take(this.#choice(), now)));
    await this.#makeRoom(now);
  }

  /** Nothing begins after this; resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the process is about to end'));
    await Promise.all(this.#ending);
    await this.#settleAll().catch(() => undefined);
  }

  #ofInstallation(): readonly DueKind[] {
    const isPublisher = this.has({ source: '', kind: 'publication' });
    return ['publication', 'retention', 'alerts', ...(isPublisher ? publishing : [])];
  }

  #isRemoving(): boolean {
    return [...this.#running.values()].some(({ claim }) => removing.includes(claim.kind));
  }

  /** Those that take a place. */
  #ofSources(): readonly Running[] {
    return [...this.#running.values()].filter(({ claim }) => ofSources.includes(claim.kind));
  }

  #free(): number {
    return this.#deps.places - this.#ofSources().length;
  }

  #choice(): Choice {
    const isLong = ({ claim, began }: Running) => claim.isLong || this.#deps.steady() - began > shortMs;
    const long = this.#ofSources().filter(isLong).length;
    const withLong = long < Math.max(1, Math.floor(this.#deps.places / 2));
    return { sources: this.#sources, kinds: ofSources, withLong };
  }

  /** What was planned by a clock that has been set back since is planned anew. */
  #watchClock(now: number): void {
    const ahead = now - this.#deps.steady();
    const setBack = this.#ahead - ahead;
    this.#ahead = ahead;
    if (setBack <= setBackMs) return;
    this.#wasAhead = true;
    this.#isPlanned = false;
    const seconds = Math.round(setBack / 1000);
    this.#deps.log.warn({ seconds }, 'the clock was set back; what is due is planned anew');
  }

  async #plan(now: number): Promise<void> {
    const plans = [...this.#plans.values()];
    this.#isPlanned = true;
    try {
      const begun = await this.#deps.begun?.();
      const isNew = ({ source, kind }: DueWork) =>
        kind === 'harvest' && begun !== undefined && !begun.has(source);
      const planned = workOf(plans, now, (work) => isNew(work) || work.kind === 'publication');
      await planWork(this.#deps.database, planned, now, this.#wasAhead);
      this.#wasAhead = false;
    } catch (error) {
      this.#isPlanned = false;
      throw error;
    }
  }

  async #renew(now: number): Promise<void> {
    const { database, holder, steady } = this.#deps;
    const asked = steady();
    const held = this.#running.size > 0 ? await renewClaims(database, holder, now) : [];
    this.#renewedAt = asked;
    const keys = new Set(held.map(keyOf));
    for (const [key, { lost, began }] of this.#running) {
      // What was taken while we asked is ours.
      if (!keys.has(key) && began < asked) lost.abort(new Error('another process works on it'));
    }
  }

  async #take(choice: Choice, now: number): Promise<boolean> {
    if (this.#stopping.signal.aborted) return false;
    const { database, holder, log } = this.#deps;
    const claim = await claimNext(database, holder, choice, now);
    if (!claim) return false;
    if (this.#stopping.signal.aborted || this.#running.has(keyOf(claim))) {
      // What we lost, and is not over yet, we do not begin a second time.
      await releaseClaim(database, claim);
      return false;
    }
    log.debug({ source: claim.source, kind: claim.kind, lateMs: now - claim.dueAt }, 'due');
    const [lost, yielding] = [new AbortController(), new AbortController()];
    const began = this.#deps.steady();
    // The first sign of life: it was just taken.
    if (this.#running.size === 0) this.#renewedAt = began;
    const stop = eitherOf(this.#stopping.signal, lost.signal);
    const ended = this.#do(claim, began, { stop, yield: yielding.signal });
    this.#running.set(keyOf(claim), { claim, began, lost, yield: yielding });
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
    return true;
  }

  async #do(claim: Claim, began: number, signals: WorkSignals): Promise<void> {
    const { perform, log, steady } = this.#deps;
    let ending: Ending | 'failed';
    let reason: string | undefined;
    let turns = 0;
    try {
      ending = await perform(claim, signals);
      if (ending === 'done') turns = await this.#restOf(claim);
    } catch (error) {
      ending = 'failed';
      reason = describeError(error);
    }
    const wasFull = this.#free() === 0;
    this.#running.delete(keyOf(claim));
    const isShort = steady() - began <= shortMs && ending !== 'yielded';
    // The database may be away: then it is settled as soon as it is back, or nobody else would ever take it.
    this.#unsettled.push({ claim, ending, reason, isLong: !isShort, rest: turns });
    try {
      await this.#settleAll();
    } catch (error) {
      log.debug({ source: claim.source, kind: claim.kind, ...failure(error) }, 'not settled yet');
    }
    if (wasFull && this.#free() > 0) this.#deps.freed?.();
  }

  async #restOf(claim: Claim): Promise<number> {
    const { rest, log } = this.#deps;
    try {
      return (await rest?.(claim)) ?? 0;
    } catch (error) {
      // It was done all the same, and comes at its next turn.
      log.debug({ source: claim.source, kind: claim.kind, ...failure(error) }, 'no turn is left out');
      return 0;
    }
  }

  #outcome({ claim, ending, reason, isLong, rest }: Ended, at: number): Outcome {
    const { source, kind, attempts, reason: before, isLong: wasLong } = claim;
    const schedule = this.#plans.get(keyOf({ source, kind }))?.schedule;
    switch (ending) {
      case 'done':
        return {
          dueAt: schedule && nextDueAfterRest(schedule, at, rest),
          attempts: 0,
          reason: undefined,
          isLong,
        };
      case 'yielded':
        return { dueAt: at, attempts: 0, reason: undefined, isLong };
      case 'put-off': {
        const putOffMs = this.#deps.database.leaseMs * putOffShare;
        const dueAt = at + Math.floor((putOffMs * (1 + this.#deps.chance())) / 2);
        return { dueAt: kind === 'publication' ? at : dueAt, attempts, reason: before, isLong: wasLong };
      }
      case 'failed': {
        const dueAt = schedule && nextAttempt(schedule, at, attempts + 1, this.#deps.chance());
        return { dueAt, attempts: attempts + 1, reason, isLong };
      }
    }
  }

  async #settleAll(): Promise<void> {
    if (this.#unsettled.length === 0) return;
    const { database, now } = this.#deps;
    const at = await now();
    const some = this.#unsettled;
    this.#unsettled = [];
    for (const [index, ended] of some.entries()) {
      const { claim, ending } = ended;
      try {
        if (ending === 'put-off' && this.#stopping.signal.aborted) await releaseClaim(database, claim);
        else await settleClaim(database, claim, this.#outcome(ended, at));
      } catch (error) {
        this.#unsettled.push(...some.slice(index));
        throw error;
      }
    }
  }

  /** Somebody has waited, and there is no place, or none for what takes long. */
  async #makeRoom(now: number): Promise<void> {
    const { database, steady } = this.#deps;
    if (this.#ofSources().length === 0 || steady() - this.#askedToYieldAt < yieldEveryMs) return;
    const { sources, kinds } = this.#choice();
    const since = async (withLong: boolean) =>
      (await longestWaiting(database.reader, { sources, kinds, withLong }, now)) ?? now;
    if (now - (await since(true)) < patienceMs) return;
    const enough = now - (await since(false)) >= patienceMs ? shortMs : turnOfLongMs;
    const [longest] = this.#ofSources()
      .filter(({ claim, began }) => claim.kind !== 'identifiers' && steady() - began >= enough)
      .filter((one) => !one.yield.signal.aborted)
      .sort((a, b) => a.began - b.began);
    if (!longest) return;
    this.#askedToYieldAt = steady();
    longest.yield.abort(new Error('others have waited'));
  }
}

function keyOf({ source, kind }: DueWork): string {
  return `${kind} ${source}`;
}
