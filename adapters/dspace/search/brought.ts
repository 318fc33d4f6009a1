import type { Problem } from '../../../src/core/adapter.ts';
import type { Query } from '../rest/rest-service.ts';
import type { Hit } from './search-page.ts';

/** What is made of the items that are found. */
export interface Bring<Value> {
  /** Asked for with every item; empty: the hits alone suffice. */
  readonly embeds: Query;
  bring(hit: Hit, signal: AbortSignal): Promise<Brought<Value>>;
}

/** Neither: there is nothing to be had of it, and nothing wrong with it. */
export interface Brought<Value> {
  readonly value?: Value | undefined;
  readonly problem?: Problem | undefined;
}
