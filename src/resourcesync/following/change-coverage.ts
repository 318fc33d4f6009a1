import { earlier } from '../../core/datetime.ts';

/** The interval of a document of changes, as far as it says; ISO UTC seconds. */
export interface Covered {
  readonly from: string | undefined;
  readonly until: string | undefined;
  /** Of its first entry, where it states times at all. */
  readonly oldest: string | undefined;
}

/**
 * Whether documents tell of every change since a moment: the first begins by then, and each of the others by the end of
 * what came before it. Who says nothing of its interval is believed only as far as its entries reach.
 * @param documents all that a Source offers, in any order
 * @returns why something may be missing; undefined: nothing is
 */
export function gapSince(cursor: string, documents: readonly Covered[]): string | undefined {
  const begun = documents.map(({ from, until, oldest }) => ({
    from: from ?? oldest,
    until,
    isStated: from !== undefined,
  }));
  const known = begun.filter((one): one is Begun => one.from !== undefined);
  // An empty document without an interval says that nothing changed, or nothing at all.
  if (known.length === 0) return documents.length === 0 ? 'there is no list of changes' : undefined;
  known.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  let reached = cursor;
  for (const { from, until, isStated } of known) {
    if (from > reached) {
      const what = isStated ? 'begins' : 'has its oldest change';
      return `the Source tells of changes up to ${earlier(reached, from)}, and what comes next ${what} at ${from}`;
    }
    // An open document reaches as far as there is anything.
    if (until === undefined) return undefined;
    if (until > reached) reached = until;
  }
  return undefined;
}

interface Begun {
  readonly from: string;
  readonly until: string | undefined;
  readonly isStated: boolean;
}
