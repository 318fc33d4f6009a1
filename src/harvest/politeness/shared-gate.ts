import type { Clock, Log } from '../../core/adapter.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError, failure } from '../../core/errors.ts';
import type { Database } from '../../store/engine/database.ts';
import { enterAsker, leaveAsker, listOtherAskers, renewAsker } from '../../store/hosts/askers.ts';
import { readHostNews, restHost, wantHost } from '../../store/hosts/host-news.ts';
import { giveBackSlot, renewSlots, takeSlot } from '../../store/hosts/host-slots.ts';
import { createHostGate, type HostGate } from '../http/host-gate.ts';
import { HostPlace } from './host-places.ts';
import { createSteadyClock } from './steady-clock.ts';

/** A gate that all processes at a database share. */
export interface SharedGate extends HostGate {
  /** Gives back what it holds. */
  close(): Promise<void>;
}

export interface SharedGateDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Nobody waits for other processes after that. */
  readonly stop?: AbortSignal | undefined;
}

export interface SharedGateTimes {
  /** Without a sign of life for so long, this process asks nothing, and others do not count with it. */
  readonly askerMs: number;
  /** The same of a slot. */
  readonly slotMs: number;
  /** From one look at what others do to the next; and while a request waits for a slot. */
  readonly lookMs: number;
  readonly waitingMs: number;
  /** Requests follow one another with one slot for so long before somebody else has a turn. */
  readonly turnMs: number;
  /** Nothing is asked for so long: this process is none of those who ask. */
  readonly idleMs: number;
}

export const defaultTimes: SharedGateTimes = {
  askerMs: 60_000,
  slotMs: 20_000,
  lookMs: 1000,
  waitingMs: 250,
  turnMs: 2000,
  idleMs: 30_000,
};

/**
 * `out`: nothing is asked. `alone`: the gate of this process is all there is, and the database hears of it now and then.
 * `sharing`: each request needs a slot; who comes to somebody who is alone waits until that one shares, too.
 */
type Mode = 'out' | 'alone' | 'sharing';

/**
 * Requests at a host and its rests, over all processes at a database. A slot is the right to have one request under way;
 * it is held for many of them, renewed while this process lives, given back when others wait, and free again when its
 * holder gives no sign of life. Where the database is away, what is held counts until it lapses; then nothing is asked.
 */
export function createSharedGate(
  database: Database,
  deps: SharedGateDeps,
  times: SharedGateTimes = defaultTimes,
): SharedGate {
  return new Gate(database, deps, times);
}

class Gate implements SharedGate {
  readonly #database: Database;
  readonly #deps: SharedGateDeps;
  readonly #times: SharedGateTimes;
  readonly #local = createHostGate();
  readonly #steady = createSteadyClock();
  readonly #places = new Map<string, HostPlace>();
  #mode: Mode = 'out';
  #holder = '';
  /** The others know that this process shares. */
  #isSharing = false;
  /** All others share, too. */
  #isReady = false;
  #aloneUntil = 0;
  #renewedAt = 0;
  #othersAt = 0;
  #activeAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isFailing = false;
  #isClosed = false;

  constructor(database: Database, deps: SharedGateDeps, times: SharedGateTimes) {
    this.#database = database;
    this.#deps = deps;
    this.#times = times;
  }

  async enter(host: string, places: number, signal: AbortSignal): Promise<() => void> {
    const leaveLocal = await this.#local.enter(host, places, signal);
    const place = this.#places.get(host) ?? new HostPlace(this.#steady.now());
    this.#places.set(host, place);
    try {
      if (place.waiting.length === 0 && this.#mayAsk(place)) place.used += 1;
      else await this.#wait(place, places, signal);
    } catch (error) {
      leaveLocal();
      throw error;
    }
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(host, place);
      leaveLocal();
    };
  }

  rest(host: string, until: number, reason?: string): void {
    this.#local.rest(host, until);
    const milliseconds = until - this.#deps.clock.now().getTime();
    if (milliseconds > 0) this.#write(() => restHost(this.#database, host, milliseconds, reason));
  }

  restOf(host: string, now: number): number {
    return this.#local.restOf(host, now);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#beating;
    await this.#writing;
    // What cannot be given back lapses.
    if (this.#mode !== 'out') await leaveAsker(this.#database, this.#holder).catch(() => undefined);
    this.#mode = 'out';
  }

  #mayAsk(place: HostPlace): boolean {
    const now = this.#steady.now();
    if (this.#mode === 'alone') return now < this.#aloneUntil;
    return this.#mode === 'sharing' && place.mayAsk(now);
  }

  #wait(place: HostPlace, places: number, given: AbortSignal): Promise<void> {
    const { stop } = this.#deps;
    const signal = stop ? eitherOf(given, stop) : given;
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        const at = place.waiting.indexOf(waiter);
        if (at >= 0) place.waiting.splice(at, 1);
        reject(given.aborted ? given.reason : stopped());
      };
      const enter = () => {
        signal.removeEventListener('abort', giveUp);
        place.used += 1;
        resolve();
      };
      const waiter = { places, enter };
      if (signal.aborted) return giveUp();
      place.waiting.push(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
      if (!this.#beating) this.#beatIn(Math.max(0, place.coolUntil - this.#steady.now()));
    });
  }

  #leave(host: string, place: HostPlace): void {
    place.used -= 1;
    place.usedAt = this.#steady.now();
    if (place.yields && this.#mode === 'sharing') {
      const n = place.free()[0];
      if (n !== undefined) this.#write(() => this.#giveBack(host, place, n, true));
    }
    this.#admit(place);
    if (this.#mode !== 'sharing' && place.isIdle() && place.slots.size === 0) this.#forget(host, place);
  }

  #forget(host: string, place: HostPlace): void {
    if (this.#places.get(host) === place) this.#places.delete(host);
    this.#activeAt = this.#steady.now();
  }

  #admit(place: HostPlace): void {
    while (place.waiting.length > 0 && this.#mayAsk(place)) place.waiting.shift()?.enter();
  }

  /** One after the other; a failure is said by the next look. */
  #write(work: () => Promise<void>): void {
    this.#writing = this.#writing.then(work).catch((error: unknown) => this.#failed(error));
  }

  #beatIn(milliseconds: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#beating = this.#beat().finally(() => {
        this.#beating = undefined;
        this.#goOn();
      });
    }, milliseconds);
    if (!this.#isWaitedFor()) this.#timer.unref();
  }

  #goOn(): void {
    const { lookMs, waitingMs } = this.#times;
    if (this.#mode === 'out' && !this.#isWaitedFor()) return;
    const now = this.#steady.now();
    const waits = [...this.#places.values()]
      .filter(({ waiting }) => waiting.length > 0)
      .map(({ coolUntil }) => Math.max(waitingMs, coolUntil - now));
    // Not all processes at the same moment.
    this.#beatIn(Math.min(lookMs, ...(this.#isFailing ? [] : waits)) * (0.8 + Math.random() * 0.2));
  }

  #isWaitedFor(): boolean {
    return [...this.#places.values()].some(({ waiting }) => waiting.length > 0);
  }

  async #beat(): Promise<void> {
    try {
      if (this.#mode === 'out') await this.#join();
      else if (this.#mode === 'alone') await this.#look();
      else if (this.#isSharing) await this.#share();
      else await this.#beginSharing();
      await this.#leaveWhenIdle();
      this.#isFailing = false;
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const told = this.#isFailing || this.#isClosed;
    this.#isFailing = true;
    if (!told)
      this.#deps.log.warn(
        { ...failure(error) },
        'cannot see what other processes ask of repositories: without that nothing new is asked of them',
      );
  }

  async #join(): Promise<void> {
    const now = this.#steady.now();
    this.#holder = await enterAsker(this.#database, this.#times.askerMs);
    this.#renewedAt = now;
    this.#activeAt = now;
    const others = await listOtherAskers(this.#database, this.#holder);
    await this.#hear();
    if (others.length === 0) this.#beAlone(now);
    else await this.#beginSharing();
  }

  /** @param since what is known of the others is as old as this */
  #beAlone(since: number): void {
    this.#mode = 'alone';
    this.#aloneUntil = since + this.#times.askerMs;
    for (const [host, place] of this.#places) {
      place.slots.clear();
      place.yields = false;
      this.#admit(place);
      if (place.isIdle()) this.#forget(host, place);
    }
  }

  /** Whoever came waits for this: what is under way here has its slots before they take any. */
  async #beginSharing(): Promise<void> {
    this.#mode = 'sharing';
    [this.#isSharing, this.#isReady] = [false, false];
    for (const [host, place] of this.#places) {
      while (place.slots.size < place.used)
        if (!(await this.#take(host, place, Number.MAX_SAFE_INTEGER))) break;
    }
    this.#othersAt = this.#steady.now();
    if (!(await this.#renew())) return;
    this.#isSharing = true;
    await this.#share();
  }

  async #look(): Promise<void> {
    const now = this.#steady.now();
    const others = await listOtherAskers(this.#database, this.#holder);
    if (others.length > 0) await this.#beginSharing();
    else if (now - this.#renewedAt > this.#times.askerMs / 6) await this.#renew();
  }

  /** Says that this process lives. Where others took it for gone, it comes as a newcomer: false. */
  async #renew(): Promise<boolean> {
    const now = this.#steady.now();
    const { askerMs, slotMs } = this.#times;
    const shares = this.#mode === 'sharing';
    if (!(await renewAsker(this.#database, this.#holder, { shares, lifetimeMs: askerMs }))) {
      await leaveAsker(this.#database, this.#holder);
      this.#mode = 'out';
      for (const place of this.#places.values()) place.slots.clear();
      await this.#join();
      return false;
    }
    this.#renewedAt = now;
    if (!shares) {
      this.#aloneUntil = now + askerMs;
      for (const place of this.#places.values()) this.#admit(place);
      return true;
    }
    const held = await renewSlots(this.#database, this.#holder, slotMs);
    const isHeld = new Set(held.map(({ host, n }) => `${n} ${host}`));
    for (const [host, place] of this.#places) {
      for (const [n, slot] of place.slots) {
        if (isHeld.has(`${n} ${host}`)) slot.until = now + slotMs;
        else place.slots.delete(n);
      }
    }
    return true;
  }

  async #share(): Promise<void> {
    const { slotMs, lookMs } = this.#times;
    if (this.#steady.now() - this.#renewedAt > slotMs / 5 && !(await this.#renew())) return;
    const others = await listOtherAskers(this.#database, this.#holder);
    const now = this.#steady.now();
    if (others.length > 0) this.#othersAt = now;
    this.#isReady ||= others.every(({ shares }) => shares);
    if (others.length === 0 && (!this.#isReady || now - this.#othersAt > 5 * lookMs)) {
      if (await this.#tryAlone()) return;
    }
    const wanted = await this.#hear();
    for (const [host, place] of this.#places) await this.#tend(host, place, wanted.has(host));
  }

  /** Who comes meanwhile is seen here, or sees that this process does not share. */
  async #tryAlone(): Promise<boolean> {
    const now = this.#steady.now();
    const { askerMs: lifetimeMs } = this.#times;
    const says = (shares: boolean) => renewAsker(this.#database, this.#holder, { shares, lifetimeMs });
    if (!(await says(false)) || (await listOtherAskers(this.#database, this.#holder)).length > 0) {
      await says(true);
      return false;
    }
    const held = [...this.#places].flatMap(([host, { slots }]) =>
      [...slots.keys()].map((n) => ({ host, n })),
    );
    this.#renewedAt = now;
    this.#beAlone(now);
    for (const slot of held) await giveBackSlot(this.#database, this.#holder, slot);
    return true;
  }

  /** @returns the hosts where somebody else waits */
  async #hear(): Promise<ReadonlySet<string>> {
    const news = await readHostNews(this.#database);
    const now = this.#deps.clock.now().getTime();
    for (const { host, restMs } of news) if (restMs > 0) this.#local.rest(host, now + restMs);
    const wanted = news.filter(({ wantedBy }) => wantedBy !== undefined && wantedBy !== this.#holder);
    return new Set(wanted.map(({ host }) => host));
  }

  async #tend(host: string, place: HostPlace, isWanted: boolean): Promise<void> {
    const { turnMs, waitingMs, slotMs } = this.#times;
    const now = this.#steady.now();
    const isQuiet = place.waiting.length === 0 && now - place.usedAt > turnMs;
    if (isWanted || isQuiet) for (const n of place.free()) await this.#giveBack(host, place, n, isWanted);
    const hadTurn = [...place.slots.values()].some(({ since }) => now - since > turnMs);
    place.yields = isWanted && hadTurn && place.slots.size > 0;
    if (place.isIdle() && place.slots.size === 0) this.#forget(host, place);
    while (this.#isReady && place.waiting.length > 0 && this.#steady.now() >= place.coolUntil) {
      const places = place.waiting[0]?.places ?? 0;
      if (!(await this.#take(host, place, places))) {
        await wantHost(this.#database, host, this.#holder, Math.min(slotMs, 8 * waitingMs));
        break;
      }
      this.#admit(place);
    }
  }

  async #take(host: string, place: HostPlace, places: number): Promise<boolean> {
    const now = this.#steady.now();
    const { slotMs: lifetimeMs } = this.#times;
    const slot = await takeSlot(this.#database, { host, places, holder: this.#holder, lifetimeMs });
    if (slot) place.slots.set(slot.n, { since: now, until: now + lifetimeMs });
    return slot !== undefined;
  }

  async #giveBack(host: string, place: HostPlace, n: number, isWanted: boolean): Promise<void> {
    // It may be in use again by now.
    if (place.used >= place.slots.size || !place.slots.delete(n)) return;
    if (isWanted) place.coolUntil = this.#steady.now() + 2 * this.#times.waitingMs;
    place.yields = false;
    await giveBackSlot(this.#database, this.#holder, { host, n });
  }

  async #leaveWhenIdle(): Promise<void> {
    const isBusy = [...this.#places.values()].some((place) => !place.isIdle() || place.slots.size > 0);
    const now = this.#steady.now();
    if (isBusy) this.#activeAt = now;
    if (isBusy || this.#mode === 'out' || now - this.#activeAt < this.#times.idleMs) return;
    this.#mode = 'out';
    await leaveAsker(this.#database, this.#holder);
  }
}

function stopped(): BridgeError {
  return new BridgeError('interrupted', 'stopped while other processes ask the same server, as asked');
}
