import { refusal } from '../../core/errors.ts';
import type { Database } from '../engine/database.ts';
import { type SearchAnswer, type SearchQuestion, search } from './search.ts';

/** Nobody waits for longer, and no question keeps a connection for longer. */
const longestMs = 3000;
/** Compiling a plan, and starting other processes for it, takes longer than what is done with it. */
const settings = [
  `set local statement_timeout = ${longestMs}`,
  'set local jit = off',
  'set local max_parallel_workers_per_gather = 0',
].join('; ');
/** PostgreSQL's word for a statement that took too long. */
const cancelled = '57014';

/**
 * The same, within bounds. SQLite reads its index in the order of the answer and stops when the page is full; PostgreSQL
 * may choose to read all that fits, and is stopped.
 * @throws BridgeError `search-too-broad`
 */
export async function boundedSearch(
  database: Database,
  question: SearchQuestion,
  isServed: (source: string) => boolean | Promise<boolean>,
): Promise<SearchAnswer> {
  if (database.client === 'sqlite') return search(database.reader, question, isServed);
  try {
    return await database.snapshot(async (trx) => {
      await trx.raw(settings);
      return search(trx, question, isServed);
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== cancelled) throw error;
    throw refusal('search-too-broad', 'search-too-broad', {}, { cause: error });
  }
}
