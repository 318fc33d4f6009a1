import type { DoubtfulEnd } from '../verdicts/list-verdict.ts';
import type { ChainState } from '../windows/checkpoint.ts';
import type { Envelope } from '../wire/record-parser.ts';
import type { Batch, PageBatch } from './page-batch.ts';

/** A part of a chain, no larger than a page; `after` is where the chain stands behind it. */
export interface ChainPage<Entry> extends Batch<Entry> {
  /** Undefined: the response goes on. */
  readonly after?: ChainState | undefined;
  /** The chain is over. */
  readonly outcome?: ChainOutcome;
}

/** How a chain ended; what follows from it is decided where the other windows are known, too. */
export type ChainOutcome =
  | { readonly kind: 'ended' }
  | { readonly kind: 'doubtful'; readonly end: DoubtfulEnd }
  /** A round number of records, without a token or a size (quirk 7). */
  | { readonly kind: 'suspicious'; readonly count: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The list has been seen to be long. */
  | { readonly kind: 'long'; readonly pages: number }
  /** It does not keep to the dates it was asked for. */
  | { readonly kind: 'ignored' };

/** A response that was read to its end. */
export interface Answer<Entry> {
  readonly envelope: Envelope;
  readonly batch: PageBatch<Entry>;
}
