import { BridgeError, describeError } from '../../../src/core/errors.ts';
import { asText, asUuid, type JsonObject } from '../rest/json-value.ts';
import { isNotFound, isRefused } from '../rest/rest-error.ts';
import type { Bring, Brought } from './brought.ts';
import { isDown, isTooMuch, type SearchContext, type Selection, search, withPrefixes } from './search.ts';
import type { Hit } from './search-page.ts';
import { holds, roundedEnd, toPrefixes, toUuid, type UuidRange, widthOf } from './uuid-range.ts';

/** What a range holds, for all that can be found out without reading it in one page. */
export type Found =
  | {
      readonly kind: 'found';
      readonly hits: readonly Hit[];
      /** UUIDs of items that break every page they are on. */
      readonly unseen: readonly string[];
      readonly nameless: number;
    }
  | { readonly kind: 'crowded'; readonly total: number; readonly some: readonly string[] }
  /** The search finds what it is not asked for. */
  | { readonly kind: 'misunderstood' };

/** Ranges of which all halves failed, one in the other: it is not an item that is to blame. */
const hopeless = 3;
/** So many items in a row cannot be read: neither. */
const failuresInARow = 5;

/** Items that cannot be had by the page, because a page takes too long, or because one of them breaks it. */
export class SingleItems<Value> {
  readonly #context: SearchContext;
  readonly #selection: Selection;
  readonly #query: string | undefined;
  readonly #bring: Bring<Value>;
  readonly #limit: number;

  constructor(
    context: SearchContext,
    what: { selection: Selection; query: string | undefined; bring: Bring<Value> },
    limit: number,
  ) {
    this.#context = context;
    this.#selection = what.selection;
    this.#query = what.query;
    this.#bring = what.bring;
    this.#limit = limit;
  }

  /**
   * The items of a range by the bare hits of a search; where that fails, too, by those of its halves.
   * @throws what the search throws when it is not some items that make it fail
   */
  async find(range: UuidRange, terms: number, signal: AbortSignal): Promise<Found> {
    const whole = await this.#attempt(range, terms, true, signal);
    return 'failure' in whole ? this.#halved(range, terms, 0, whole.failure, signal) : whole;
  }

  /** Both halves at once, if one item is to blame: one of them goes well. */
  async #halved(
    range: UuidRange,
    terms: number,
    doubts: number,
    failure: unknown,
    signal: AbortSignal,
  ): Promise<Found> {
    if (widthOf(range) === 1n) return { kind: 'found', hits: [], unseen: [toUuid(range.low)], nameless: 0 };
    const middle = roundedEnd(range, widthOf(range) / 2n);
    const halves = [
      { low: range.low, high: middle },
      { low: middle, high: range.high },
    ];
    const attempts: (Found | { failure: unknown })[] = [];
    for (const half of halves) attempts.push(await this.#attempt(half, terms, false, signal));
    const next = attempts.every((attempt) => 'failure' in attempt) ? doubts + 1 : 0;
    if (next >= hopeless) throw failure;
    let all: Found = { kind: 'found', hits: [], unseen: [], nameless: 0 };
    for (const [index, half] of halves.entries()) {
      const attempt = attempts[index];
      if (attempt === undefined) continue;
      const found =
        'failure' in attempt ? await this.#halved(half, terms, next, attempt.failure, signal) : attempt;
      all = joined(all, found);
    }
    return all;
  }

  async #attempt(
    range: UuidRange,
    terms: number,
    patient: boolean,
    signal: AbortSignal,
  ): Promise<Found | { failure: unknown }> {
    let all: Found = { kind: 'found', hits: [], unseen: [], nameless: 0 };
    try {
      for (let { low } = range; low < range.high; ) {
        const part = toPrefixes({ low, high: range.high }, terms);
        low = part.high;
        const query = withPrefixes(this.#query, part.prefixes);
        const ask = { selection: this.#selection, query, size: this.#limit, patient };
        const { hits, nameless, rows, total = 0 } = await search(this.#context, ask, signal);
        if (hits.some(({ uuid }) => !holds(part, uuid))) return { kind: 'misunderstood' };
        if ((rows >= this.#limit || total > this.#limit) && widthOf(range) > 1n)
          return {
            kind: 'crowded',
            total: Math.max(total, this.#limit + 1),
            some: hits.map(({ uuid }) => uuid),
          };
        all = joined(all, { kind: 'found', hits, unseen: [], nameless });
      }
      return all;
    } catch (failure) {
      signal.throwIfAborted();
      if (!isTooMuch(failure) || isDown(failure)) throw failure;
      return { failure };
    }
  }

  /** @throws when so many fail that it cannot be the items */
  async bring(
    hits: readonly Hit[],
    unseen: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Brought<Value>[]> {
    const brought: Brought<Value>[] = [];
    const isBare = this.#bring.embeds.length === 0;
    let inARow = 0;
    const ask = async (uuid: string, handle: string | undefined) => {
      try {
        const json = await this.#get(uuid, signal);
        if (json !== undefined) {
          const named = asUuid(json.uuid) ?? asUuid(json.id);
          if (named !== uuid)
            throw new BridgeError('upstream-not-json', `core/items/${uuid} answers with something else`);
          brought.push(await this.#bring.bring({ uuid, handle: asText(json.handle), json }, signal));
        }
        inARow = 0;
      } catch (error) {
        signal.throwIfAborted();
        inARow += 1;
        if (inARow >= failuresInARow || !isTooMuch(error) || isDown(error)) throw error;
        brought.push({
          problem: {
            code: 'record-quarantined',
            message: `Every page that this item (${uuid}) is on fails, and so does it alone: ${describeError(error)}`,
            identifier: this.#context.identifierOf(handle, uuid),
          },
        });
      }
    };
    for (const hit of hits) {
      if (isBare) brought.push(await this.#bring.bring(hit, signal));
      else await ask(hit.uuid, hit.handle);
    }
    for (const uuid of unseen) await ask(uuid, undefined);
    return brought;
  }

  /** @returns undefined: it is not there any more, or not for everybody */
  async #get(uuid: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const { rest, deadline = 60_000 } = this.#context;
    try {
      return await rest.get(`/core/items/${uuid}`, this.#bring.embeds, { signal, deadline });
    } catch (error) {
      if (isNotFound(error) || isRefused(error)) return undefined;
      throw error;
    }
  }
}

function joined(first: Found, second: Found): Found {
  if (first.kind !== 'found') return first;
  if (second.kind !== 'found') return second;
  return {
    kind: 'found',
    hits: [...first.hits, ...second.hits],
    unseen: [...first.unseen, ...second.unseen],
    nameless: first.nameless + second.nameless,
  };
}
