import type { AdapterContext } from '../../../src/core/adapter.ts';
import { addSeconds, toIso } from '../../../src/core/datetime.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import type { Listing } from '../lists/listing.ts';
import { passKey } from '../windows/checkpoint.ts';
import type { Pass } from '../windows/passes.ts';
import { isWithin, type Window } from '../windows/window.ts';

/** A window whose list fails, and which of its records cannot be had alone; none: the list itself fails. */
export interface BadSpot {
  readonly window: Window;
  readonly identifiers: readonly string[];
  /** When it was last met, ISO UTC. */
  readonly at: string;
}

const maximumSpots = 20;
const maximumIdentifiers = 20;
/** So long it is kept without being met: lists that nobody reads any more, and parts of them. */
const lifetimeSeconds = 90 * 86_400;

/**
 * Where a pass was read record by record, so that the next one begins there and need not look for it: that is some
 * twenty requests with pauses of half a minute, for each record that breaks its page (quirk 12).
 */
export class BadSpots {
  readonly #context: Pick<AdapterContext, 'lessons' | 'clock'>;
  readonly #key: string;
  readonly #name: string;
  readonly #high: () => string;

  constructor({ context, span }: Pick<Listing<unknown>, 'context' | 'span'>, pass: Pass) {
    this.#context = context;
    this.#name = passKey(pass);
    this.#key = `bad-spots ${this.#name}`;
    this.#high = () => span().high;
  }

  get all(): readonly BadSpot[] {
    const { lessons, clock } = this.#context;
    const oldest = addSeconds(toIso(clock.now()), -lifetimeSeconds);
    return parse(lessons.get(this.#key)).filter(({ at }) => at > oldest);
  }

  /** Whether the window is such a place, or lies in one. */
  covers(window: Window): boolean {
    return this.all.some((spot) => isWithin(window, spot.window));
  }

  /** @param identifiers what could not be had of it */
  remember(window: Window, identifiers: readonly string[]): void {
    const { clock } = this.#context;
    const closed = this.#closed(window);
    const spot = {
      window: closed,
      identifiers: identifiers.slice(0, maximumIdentifiers),
      at: toIso(clock.now()),
    };
    const others = this.all.filter((one) => !isWithin(one.window, closed));
    // A part of one that is known, because a run began in its middle.
    if (others.some((one) => isWithin(closed, one.window))) return;
    if (others.length < maximumSpots) this.#keep([...others, spot]);
  }

  /** A list was read well. */
  forget(window: Window): void {
    const known = this.all;
    const left = known.filter((spot) => !isWithin(spot.window, window));
    if (left.length < known.length) this.#keep(left);
  }

  /** What comes later is no part of it. */
  #closed(window: Window): Window {
    const high = this.#high();
    if (window.until !== undefined || (window.from ?? '') >= high) return window;
    return { ...window, until: high };
  }

  #keep(spots: readonly BadSpot[]): void {
    const { lessons } = this.#context;
    if (spots.length === 0) {
      lessons.forget(this.#key);
      return;
    }
    const records = new Set(spots.flatMap(({ identifiers }) => identifiers)).size;
    const facts = { format: this.#name, ranges: spots.length, records: records || '' };
    const sentence = say('bad-spots', facts);
    lessons.learn(this.#key, JSON.stringify(spots), sentence);
  }
}

function parse(value: string | undefined): readonly BadSpot[] {
  if (value === undefined) return [];
  try {
    return JSON.parse(value) as readonly BadSpot[];
  } catch {
    return [];
  }
}
