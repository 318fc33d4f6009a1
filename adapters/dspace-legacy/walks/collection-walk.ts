import type { AdapterContext, Checkpoint, Problem } from '../../../src/core/adapter.ts';
import { BridgeError, describeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { type CollectionTree, compareIds, type TreeNode } from '../items/collection-tree.ts';
import { isAnswering } from '../items/witness.ts';
import { asCount, asHandle, asId, asObject, asText, idOf } from '../rest/json-value.ts';
import { PageSize } from '../rest/page-size.ts';
import { isBroken, isNotFound, isRefused, isSlow } from '../rest/rest-error.ts';
import type { LegacyRest } from '../rest/rest-service.ts';

/** Positions behind the last item in which nothing may be before a list is over: three pages. */
const gapAtEnd = 300;
/** Behind a longer gap the next look goes further, up to here. */
const longestLook = 10_000;
/** Positions without an item, although the collection says to hold more: whole collections are restricted. */
const longestGap = 1_000_000;
/** With so many in a row it is not the items. */
const badInRow = 20;
/** So many walks have to break off behind the same item before what follows is passed over all the same. */
const breaksInVain = 3;

/** How far a walk has come. */
export interface WalkState {
  /** The collection that is read, or was read last. */
  readonly collection?: string | undefined;
  readonly done: boolean;
  readonly offset: number;
  /** Items met in it. */
  readonly met: number;
  /** Its first item: met again later, it tells that offsets are not heard. */
  readonly first?: string | undefined;
  /** Walks that broke off here, because nothing behind could be had. */
  readonly breaks?: number | undefined;
  /** Collections whose items nobody is shown. */
  readonly denied: readonly string[];
}

/** A part of a collection's list, as it came. */
export interface WalkedRows {
  readonly collection: TreeNode;
  readonly rows: readonly unknown[];
  /** The rows are bare, whatever was asked for: each has to be read by itself. */
  readonly bare: boolean;
  readonly problems: readonly Problem[];
  readonly state: WalkState;
  /** One place, at which the server fails, whatever it is asked. */
  readonly isUnanswered?: boolean | undefined;
}

export interface Walk {
  readonly rest: LegacyRest;
  readonly context: AdapterContext;
  readonly tree: CollectionTree;
  /** In their order. */
  readonly collections: readonly TreeNode[];
  /** Of the items; undefined: bare ones will do. */
  readonly expand: string | undefined;
  readonly identifierOf: (handle: string | undefined, id: string) => string;
}

const start: WalkState = { done: false, offset: 0, met: 0, denied: [] };
const lesson = 'offset-ignored';

/** Reads the items of collection after collection, as far as everybody may see them. */
export class CollectionWalk {
  readonly #walk: Walk;
  readonly #size: PageSize;
  #inRow = 0;

  constructor(walk: Walk) {
    this.#walk = walk;
    this.#size = new PageSize(walk.context.lessons);
  }

  /** @throws BridgeError when the server fails as a whole, or answers with what is no list */
  async *rows(from: WalkState | undefined, signal: AbortSignal): AsyncGenerator<WalkedRows> {
    // Another version may hear them by now.
    if (from === undefined) this.#walk.context.lessons.forget(lesson);
    let state = from ?? start;
    for (const collection of this.#walk.collections) {
      const order = state.collection === undefined ? 1 : compareIds(collection.id, state.collection);
      if (order < 0 || (order === 0 && state.done)) continue;
      const { denied } = state;
      state = order === 0 ? state : { ...start, collection: collection.id, denied };
      for await (const part of this.#collection(collection, state, signal)) {
        state = part.state;
        yield part;
      }
    }
  }

  /**
   * Places at which not even a name can be had wait for an answer behind them: a server that fails for a while is no
   * bad item, and whoever goes on after it begins before them.
   */
  async *#collection(collection: TreeNode, from: WalkState, signal: AbortSignal): AsyncGenerator<WalkedRows> {
    const { breaks = 0 } = from;
    let waiting: WalkedRows[] = [];
    let state = from;
    try {
      for await (const part of this.#parts(collection, from, signal)) {
        if (part.isUnanswered && breaks < breaksInVain) {
          waiting.push(part);
          continue;
        }
        yield* waiting;
        waiting = [];
        ({ state } = part);
        yield part;
      }
    } catch (error) {
      if (waiting.length > 0 && !signal.aborted)
        yield { collection, rows: [], bare: false, problems: [], state: { ...state, breaks: breaks + 1 } };
      throw error;
    }
    yield* waiting;
  }

  async *#parts(collection: TreeNode, from: WalkState, signal: AbortSignal): AsyncGenerator<WalkedRows> {
    const { numberItems } = collection;
    let { offset, met, first } = from;
    let gap = 0;
    for (;;) {
      if (offset > 0 && this.#walk.context.lessons.get(lesson) !== undefined) {
        yield* this.#atOnce(collection, from, met, signal);
        return;
      }
      const page = await this.#page(collection, offset, gap, signal);
      const at = { collection: collection.id, denied: from.denied };
      if (page === 'denied') {
        const state = { ...at, done: true, offset, met, denied: [...from.denied, collection.id] };
        yield { collection, rows: [], bare: false, problems: this.#deny(collection), state };
        return;
      }
      const { rows, taken, bare, problems } = page;
      const firstHere = rowId(rows[0]);
      if (offset > 0 && firstHere !== undefined && firstHere === first) {
        const sentence = say('lists-begin-anew', {});
        this.#walk.context.lessons.learn(lesson, 'yes', sentence);
        continue;
      }
      if (offset === 0) first = firstHere;
      // What a look ahead finds is read in its turn.
      const isLook = gap > 0 && bare && rows.length > 0;
      offset += isLook ? 0 : taken;
      met += isLook ? 0 : rows.length + problems.length;
      gap = rows.length + problems.length > 0 ? 0 : gap + taken;
      if (isLook) continue;
      // More than there are said to be: then that number proves nothing.
      const isComplete = met === numberItems && rows.length < taken;
      const isOver = gap >= gapAtEnd && offset >= (numberItems ?? 0);
      const isLost = gap >= longestGap;
      const done = isComplete || isOver || isLost;
      const state = { ...at, done, offset, met, ...(first === undefined ? {} : { first }) };
      const doubts = isLost && !isOver ? [doubt(collection, met)] : [];
      const { isUnanswered } = page;
      yield { collection, rows, bare: false, problems: [...problems, ...doubts], state, isUnanswered };
      if (done) return;
    }
  }

  /**
   * A page of the list; behind an empty one a look at the next three or more, without what makes items expensive.
   * @returns `denied`: nobody is shown it
   */
  async #page(
    collection: TreeNode,
    offset: number,
    gap: number,
    signal: AbortSignal,
  ): Promise<Page | 'denied'> {
    for (;;) {
      const isLook = gap > 0;
      const taken = isLook ? Math.min(longestLook, Math.max(gapAtEnd, gap)) : this.#size.value;
      try {
        const rows = await this.#list(
          collection,
          taken,
          offset,
          isLook ? undefined : this.#walk.expand,
          signal,
        );
        if (rows.length > 0) this.#inRow = 0;
        if (!isLook && rows.length > 0) this.#size.succeeded();
        return { rows, taken, bare: isLook, problems: [] };
      } catch (error) {
        signal.throwIfAborted();
        if (await this.#isDenied(error, signal)) return 'denied';
        if (!isBroken(error) && !isSlow(error)) throw error;
        if (isLook) {
          gap = 0;
        } else if (taken > 1) {
          const { log } = this.#walk.context;
          log.debug(
            { collection: collection.key, items: taken, reason: describeError(error) },
            'asking for less',
          );
          this.#size.failed(isSlow(error));
        } else {
          return await this.#withoutOne(collection, offset, error, signal);
        }
      }
    }
  }

  /** One item breaks the answer: what it is called, if that can be had, and on behind it. */
  async #withoutOne(
    collection: TreeNode,
    offset: number,
    error: unknown,
    signal: AbortSignal,
  ): Promise<Page> {
    this.#inRow += 1;
    if (this.#inRow > badInRow || !(await this.#walk.rest.isRunning(signal))) throw error;
    const message = `its server fails on it: ${describeError(error)}`;
    // Once more than asked for is no harm: the next page may be bigger.
    this.#size.succeeded();
    let row: unknown;
    try {
      [row] = await this.#list(collection, 1, offset, undefined, signal);
    } catch (cause) {
      signal.throwIfAborted();
      if (!isBroken(cause) && !isSlow(cause)) throw cause;
      const where = `item ${offset + 1} of ${collection.key}`;
      return {
        rows: [],
        taken: 1,
        bare: true,
        problems: [{ code: 'record-quarantined', message: `${where}: ${message}` }],
        isUnanswered: true,
      };
    }
    const json = asObject(row);
    const id = json && idOf(json);
    if (json === undefined || id === undefined) return { rows: [], taken: 1, bare: true, problems: [] };
    const identifier = this.#walk.identifierOf(asHandle(json.handle), id);
    return {
      rows: [],
      taken: 1,
      bare: true,
      problems: [{ code: 'record-quarantined', message, identifier }],
    };
  }

  /**
   * The whole list of a server that hears no offset, bare, in parts.
   * @param met rows that have been read already
   */
  async *#atOnce(
    collection: TreeNode,
    from: WalkState,
    met: number,
    signal: AbortSignal,
  ): AsyncGenerator<WalkedRows> {
    const limit = Math.max(collection.numberItems ?? 0, 10_000) + 1000;
    const at = { collection: collection.id, denied: from.denied };
    let rows: readonly unknown[];
    try {
      rows = await this.#list(collection, limit, 0, undefined, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(await this.#isDenied(error, signal))) throw error;
      const state = { ...at, done: true, offset: met, met, denied: [...from.denied, collection.id] };
      yield { collection, rows: [], bare: true, problems: this.#deny(collection), state };
      return;
    }
    const problems = rows.length >= limit ? [doubt(collection, rows.length)] : [];
    const part = 20;
    for (let next = met; ; next += part) {
      const done = next + part >= rows.length;
      const state = { ...at, done, offset: next + part, met: next + part };
      const rest = rows.slice(next, next + part);
      yield { collection, rows: rest, bare: true, problems: done ? problems : [], state };
      if (done) return;
    }
  }

  async #isDenied(error: unknown, signal: AbortSignal): Promise<boolean> {
    const { rest, tree } = this.#walk;
    return (isRefused(error) || isNotFound(error)) && (await isAnswering(rest, tree, signal));
  }

  #deny({ key, numberItems }: TreeNode): Problem[] {
    if (numberItems === 0) return [];
    const message = `the items of ${key} are not public, although the collection is`;
    return [{ code: 'endpoint-quirk', message }];
  }

  async #list(
    { id }: TreeNode,
    limit: number,
    offset: number,
    expand: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly unknown[]> {
    const query = [
      ...(expand === undefined ? [] : [['expand', expand] as const]),
      ['limit', String(limit)] as const,
      ['offset', String(offset)] as const,
    ];
    const rows = await this.#walk.rest.get(`/collections/${id}/items`, query, signal);
    if (rows === undefined) return [];
    if (Array.isArray(rows)) return rows;
    throw new BridgeError('upstream-protocol', `${this.#walk.rest.base}/collections/${id}/items is no list`);
  }
}

interface Page {
  readonly rows: readonly unknown[];
  /** Positions of the list that it covers. */
  readonly taken: number;
  readonly bare: boolean;
  readonly problems: readonly Problem[];
  readonly isUnanswered?: boolean | undefined;
}

function doubt({ key, numberItems }: TreeNode, met: number): Problem {
  return {
    code: 'list-doubtful',
    message: `${key} says to hold ${numberItems ?? 'more'} items, but its list ends after ${met}`,
    part: { collection: key },
  };
}

function rowId(row: unknown): string | undefined {
  const json = asObject(row);
  return json && idOf(json);
}

/** Tolerant: what nobody understands starts the walk again, which loses nothing. */
export function toWalkState(value: unknown): WalkState | undefined {
  const { collection, done, offset, met, first, breaks, denied } = asObject(value) ?? {};
  const id = asId(collection);
  const at = asCount(offset);
  if (id === undefined || at === undefined) return undefined;
  return {
    collection: id,
    done: done === true,
    offset: at,
    met: asCount(met) ?? 0,
    first: asText(first),
    breaks: asCount(breaks),
    denied: Array.isArray(denied) ? denied.flatMap((entry) => asId(entry) ?? []) : [],
  };
}

export function fromWalkState(state: WalkState): Checkpoint {
  return { ...state };
}
