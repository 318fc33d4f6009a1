import type { Problem } from '../../../src/core/adapter.ts';
import { countOf } from '../../../src/core/count-of.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import type { Bring, Brought } from './brought.ts';
import { fewest, type PageSize } from './page-size.ts';
import { isNotTaken, isTooMuch, type SearchContext, type Selection, search, withPrefixes } from './search.ts';
import type { SearchPage } from './search-page.ts';
import type { SearchWindow, WindowOutcome, WindowReader } from './search-windows.ts';
import { type Found, SingleItems } from './single-items.ts';
import { firstDigit, holds, widthOf } from './uuid-range.ts';

/** What a window held. */
export interface WindowContent<Value> {
  readonly values: readonly Value[];
  readonly problems: readonly Problem[];
  /** Items in it, by the first digit of their UUIDs. */
  readonly counts: ReadonlyMap<number, number>;
  /** Items that the server counted and did not show, asked twice. */
  readonly missing: number;
}

const termsLesson = 'search-terms';
/** Some thousand octets of a URL, which every server takes. */
const mostTerms = 30;

/** How windows are asked for: one page each, never a second one. */
export class SearchPages<Value> implements WindowReader<WindowContent<Value>> {
  readonly #context: SearchContext;
  readonly #selection: Selection;
  readonly #query: string | undefined;
  readonly #bring: Bring<Value>;
  readonly #pageSize: PageSize | undefined;
  #limit: number;
  readonly #singles: SingleItems<Value>;
  /** Short pages that a second look did not complete, in a row. */
  #vain = 0;
  /** Prefixes that a query may have, as far as this run has seen. */
  #terms: number;
  /** Fewer than before, and it is to be shown that this helps. */
  #isTrying = false;

  /**
   * @param query which all windows are a part of; undefined: everything
   * @param limit rows that the server gives in one page
   * @param pageSize undefined: as many as it gives
   */
  constructor(
    context: SearchContext,
    what: { selection: Selection; query: string | undefined; bring: Bring<Value> },
    limit: number,
    pageSize: PageSize | undefined,
  ) {
    this.#context = context;
    this.#selection = what.selection;
    this.#query = what.query;
    this.#bring = what.bring;
    this.#pageSize = pageSize;
    this.#limit = limit;
    this.#terms = learntTerms(context);
    this.#singles = new SingleItems(context, what, limit);
  }

  get size(): number {
    return Math.min(this.#limit, this.#pageSize?.size ?? this.#limit);
  }

  get isOneByOne(): boolean {
    return this.#pageSize?.isOneByOne ?? false;
  }

  get terms(): number {
    return this.#terms;
  }

  async read(window: SearchWindow, signal: AbortSignal): Promise<WindowOutcome<WindowContent<Value>>> {
    if (window.isOneByOne) return this.#readSingly(window, signal);
    const { clock } = this.#context.context;
    const startedAt = clock.now().getTime();
    let page: SearchPage;
    try {
      page = await this.#ask(window, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isTooMuch(error)) {
        this.#pageSize?.failed(window.size);
        return { kind: 'failed' };
      }
      if (window.prefixes.length === 1 || !isNotTaken(error)) throw error;
      return this.#withFewer(window.prefixes.length, Math.max(1, Math.floor(window.prefixes.length / 5)));
    }
    if (this.#isTrying && window.prefixes.length <= this.#terms) this.#learnTerms();
    const milliseconds = clock.now().getTime() - startedAt;
    if (page.hits.some(({ uuid }) => !holds(window, uuid)))
      return this.#misunderstood(window, window.prefixes.length);
    const total = overflow(page, window);
    if (total !== undefined) return crowded(page, total);
    this.#pageSize?.succeeded(window.size, page.rows, milliseconds);
    const whole = await this.#completed(page, window, signal);
    if (whole.kind === 'crowded') return whole;
    const brought: Brought<Value>[] = [];
    for (const hit of whole.hits) brought.push(await this.#bring.bring(hit, signal));
    // An item that the index lists and the server does not show is no more found than one that is missing.
    const missing = whole.missing + whole.withheld;
    const content = toContent(whole.hits, brought, { nameless: whole.nameless, missing });
    return { kind: 'read', value: content, rows: whole.hits.length };
  }

  #ask({ prefixes, size }: SearchWindow, signal: AbortSignal): Promise<SearchPage> {
    const query = withPrefixes(this.#query, prefixes);
    // What fails is asked for in parts: that is another request, and a better one.
    const ask = { selection: this.#selection, query, size, embeds: this.#bring.embeds, patient: false };
    return search(this.#context, ask, signal);
  }

  #misunderstood(window: SearchWindow, terms: number): WindowOutcome<never> {
    if (terms > 1) return this.#withFewer(terms, 1);
    throw new BridgeError(
      'upstream-protocol',
      `the search of ${this.#context.rest.base} finds items with other UUIDs than those it is asked for (search.resourceid:${window.prefixes.join()}*)`,
    );
  }

  /** A page that is shorter than its own total: some of its documents were stale, or the server is slow of mind. */
  async #completed(
    page: SearchPage,
    window: SearchWindow,
    signal: AbortSignal,
  ): Promise<(SearchPage & { kind: 'read'; missing: number }) | Crowded> {
    const missing = Math.max(0, (page.total ?? 0) - page.rows);
    if (missing === 0 || this.#vain >= 5) return { ...page, kind: 'read', missing };
    let second: SearchPage;
    try {
      second = await this.#ask(window, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isTooMuch(error)) throw error;
      return { ...page, kind: 'read', missing };
    }
    const total = overflow(second, window);
    if (total !== undefined) return crowded(second, total);
    const within = second.hits.filter(({ uuid }) => holds(window, uuid));
    const hits = new Map([...page.hits, ...within].map((hit) => [hit.uuid, hit]));
    const rows = Math.max(hits.size, page.rows, second.rows);
    const left = Math.max(0, (second.total ?? rows) - rows);
    this.#vain = left < missing ? 0 : this.#vain + 1;
    // Much is missing: the server may give fewer rows than it counts.
    if (left > Math.max(2, rows / 5) && widthOf(window) > 1n && rows > 1) return crowded(page, rows + left);
    return { ...second, hits: [...hits.values()], rows, kind: 'read', missing: left };
  }

  async #readSingly(window: SearchWindow, signal: AbortSignal): Promise<WindowOutcome<WindowContent<Value>>> {
    const { terms } = this;
    let found: Found;
    try {
      found = await this.#singles.find(window, terms, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (terms === 1 || !isNotTaken(error)) throw error;
      return this.#withFewer(terms, Math.max(1, Math.floor(terms / 5)));
    }
    if (found.kind === 'misunderstood') return this.#misunderstood(window, terms);
    if (found.kind === 'crowded') return found;
    if (this.#isTrying) this.#learnTerms();
    const { hits, unseen } = found;
    const brought = await this.#singles.bring(hits, unseen, signal);
    const isTheirFault = brought.some(({ problem }) => problem !== undefined);
    if (isTheirFault && window.failedAt !== undefined) this.#pageSize?.acquit(window.failedAt);
    const uuids = [...hits.map(({ uuid }) => ({ uuid })), ...unseen.map((uuid) => ({ uuid }))];
    const content = toContent(uuids, brought, { nameless: found.nameless, missing: 0 });
    return { kind: 'read', value: content, rows: uuids.length };
  }

  #withFewer(asked: number, terms: number): WindowOutcome<never> {
    // Others were on their way with as many.
    if (this.#terms >= asked) {
      this.#terms = terms;
      this.#isTrying = true;
    }
    return { kind: 'again' };
  }

  /** It was the number of prefixes: with fewer there is an answer. */
  #learnTerms(): void {
    this.#isTrying = false;
    const terms = this.#terms;
    const sentence = terms === 1 ? say('no-alternatives', {}) : say('short-queries', { count: terms });
    this.#context.context.lessons.learn(termsLesson, String(terms), sentence);
  }
}

function learntTerms({ context }: SearchContext): number {
  const learnt = Number(context.lessons.get(termsLesson));
  return Number.isInteger(learnt) && learnt > 0 ? Math.min(learnt, mostTerms) : mostTerms;
}

/** Whether windows with several prefixes were asked for. */
export function usesManyTerms({ context }: SearchContext): boolean {
  return context.lessons.get(termsLesson) !== '1';
}

export function suspectTerms({ context }: SearchContext): void {
  const sentence = say('alternatives-lossy', {});
  context.lessons.learn(termsLesson, '1', sentence);
}

export function acquitTerms({ context }: SearchContext): void {
  context.lessons.forget(termsLesson);
}

type Crowded = Extract<WindowOutcome<never>, { kind: 'crowded' }>;

function crowded({ hits }: SearchPage, total: number): Crowded {
  return { kind: 'crowded', total, some: hits.map(({ uuid }) => uuid) };
}

/** What more than the page there is, as far as it can be told; undefined: it was all. */
function overflow(page: SearchPage, window: SearchWindow): number | undefined {
  if (widthOf(window) === 1n) return undefined;
  const { total = 0, rows } = page;
  // A page that is half empty speaks against the total: a second look decides.
  if (total > Math.max(rows, window.size) && rows * 2 >= window.size) return total;
  // As many as were asked for, and a total that agrees: that is what a server says that stops counting (DSpace#8105).
  const isSuspect = rows >= window.size && (window.size >= fewest || total !== rows);
  return isSuspect ? Math.max(total, window.size) : undefined;
}

function toContent<Value>(
  uuids: readonly { readonly uuid: string }[],
  brought: readonly Brought<Value>[],
  { nameless, missing }: { readonly nameless: number; readonly missing: number },
): WindowContent<Value> {
  const counts = new Map<number, number>();
  for (const { uuid } of uuids) counts.set(firstDigit(uuid), (counts.get(firstDigit(uuid)) ?? 0) + 1);
  const problems = brought.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  const unreadable: Problem = {
    code: 'record-quarantined',
    message: `${countOf(nameless, 'row')} of a search name no item.`,
  };
  return {
    values: brought.flatMap(({ value }) => (value === undefined ? [] : [value])),
    problems: nameless > 0 ? [...problems, unreadable] : problems,
    counts,
    missing,
  };
}
