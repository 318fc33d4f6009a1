import type { Knex } from 'knex';

/** An index of a table that may be large (`large-indexes.ts`). */
export interface LargeIndex {
  readonly name: string;
  readonly table: string;
  /** What of its rows, and of which: `(columns) where …`, in words that both databases have, or in each its own. */
  readonly on: string | { readonly sqlite: string; readonly pg: string };
}

/**
 * A step from one schema to the next. A release expands (new tables and columns that older code need not know), fills
 * in behind the work, and leaves it to a later release to take away what nobody reads any more: so that processes of two
 * releases work on one database while they are replaced one by one.
 */
export interface Migration {
  readonly name: string;
  /** Quick, whatever the tables hold: it locks what it changes, and others wait for it. */
  readonly up: (knex: Knex) => Promise<void>;
  /** It leaves rows to be taken over, and those after it wait for them. */
  readonly takesOver?: boolean;
  /**
   * The newest migration that a process has to know to go on working beside this one: what it reads is still there,
   * and what it writes stays right. Unset: no older one can.
   */
  readonly worksWith?: string;
  /**
   * Rows that are filled in while everybody works, some at a time, each time in a transaction.
   * @param after where it was last; undefined at first
   * @returns where it is now; undefined: nothing is left
   */
  readonly fill?: (trx: Knex.Transaction, after: string | undefined) => Promise<string | undefined>;
  /** Filling in waits until no process is at work that does not know this migration. */
  readonly fillsAlone?: boolean;
  /** Indexes that are built behind the work, and with `up` where that is quick. Not together with `fill`. */
  readonly indexes?: readonly LargeIndex[];
  /** An earlier migration whose rows have to be filled in before this one, which takes away what was before. */
  readonly contracts?: string;
}
