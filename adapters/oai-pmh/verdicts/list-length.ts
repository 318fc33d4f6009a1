/** Lists of more pages are cut into windows on purpose. */
const longPages = 20;
/** Of a list whose size nobody states, so many pages tell that it is long, and it may have so many more. */
const pagesWithoutSize = 10;
const assumedPages = 100;
/** A window of so many times the pages that were aimed at is cut again. */
const surplus = 2.5;
const largest = 50;
const smallest = 4;
const windowsPerList = 4;
const maximumWindows = 64;
const maximumParts = 8;

/** What is known of a list behind one of its pages. */
export interface ListLength {
  /** Read so far. */
  readonly pages: number;
  /** Records of this page. */
  readonly count: number;
  readonly listSize: number | undefined;
}

/**
 * The pages of a list that is worth cutting into windows; undefined: it is not. A window that has to be started
 * again costs little, and several of them can be read at a time.
 * @param lists how many may be read at a time
 */
export function longList({ pages, count, listSize }: ListLength, lists: number): number | undefined {
  if (listSize === undefined) return lists > 1 && pages >= pagesWithoutSize ? assumedPages : undefined;
  const all = count === 0 ? 0 : listSize / count;
  return pages === 1 && all > longPages ? all : undefined;
}

/** The same for a window of such a list; with one list at a time, nobody waits for it. */
export function longWindow(
  { pages, count, listSize }: ListLength,
  lists: number,
  aim: number,
): number | undefined {
  if (lists < 2 || listSize === undefined || count === 0 || pages > 1) return undefined;
  const all = listSize / count;
  return all > aim * surplus ? all : undefined;
}

/** What a list of so many pages is cut by. */
export interface WindowBudget {
  /** Pages per window to aim at: enough windows for all, but not for each request a window of its own. */
  readonly aim: number;
  /** Requests that may be spent on windows that turn out to be empty, or too long. */
  readonly allowance: number;
}

export function windowBudget(pages: number, lists: number): WindowBudget {
  return {
    aim: Math.min(largest, Math.max(smallest, Math.round(pages / (windowsPerList * lists)))),
    allowance: 8 + 2 * lists + Math.round(pages * 0.2),
  };
}

export function partsOf(pages: number, aim: number, again: boolean): number {
  return Math.min(again ? maximumParts : maximumWindows, Math.max(2, Math.ceil(pages / aim)));
}

/** How many records the repository puts on a page, as far as it has shown. */
export class PageSize {
  readonly #stated: number;
  #largest = 0;

  /** @param stated in the configuration: what is shorter is no full page, whatever has been seen */
  constructor(stated = 0) {
    this.#stated = stated;
  }

  get largest(): number {
    return this.#largest;
  }

  see(count: number): void {
    this.#largest = Math.max(this.#largest, count);
  }

  /** Somebody who knows has said that pages hold more. */
  isStatedLonger(count: number): boolean {
    return this.#stated > count;
  }

  /** A page is shorter than others are: nothing is expected behind it. */
  isPartial(count: number): boolean {
    return count > 0 && count < this.#largest;
  }
}
