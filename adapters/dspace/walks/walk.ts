import type { Checkpoint, Problem } from '../../../src/core/adapter.ts';
import { parseHttpDate, toIso } from '../../../src/core/datetime.ts';
import type { JsonObject } from '../rest/json-value.ts';
import type { Bring } from '../search/brought.ts';
import type { PageSize } from '../search/page-size.ts';
import { knownLimit, type SearchContext } from '../search/search.ts';
import { SearchPages } from '../search/search-pages.ts';
import type { SearchPass } from './passes.ts';

/** What one window gave, or the end of a list: the walk may be taken up behind it. */
export interface Batch<Value> {
  readonly values: readonly Value[];
  readonly problems: readonly Problem[];
  readonly checkpoint: Checkpoint;
  /** The upstream's clock when the walk began. */
  readonly asOf: string;
  readonly expectedTotal: number | undefined;
  /** Of a walk over everything, behind its end: what the server says that there is. */
  readonly statedTotal?: number | undefined;
}

/** What all lists of a walk have in common. */
export interface Walk<Value> {
  readonly context: SearchContext;
  readonly passes: readonly SearchPass[];
  readonly bring: (pass: SearchPass) => Bring<Value>;
  /** Undefined: items come with nothing embedded, as many as the server gives. */
  readonly pageSize: PageSize | undefined;
}

/** By the latest answer, which was there before the walk began; else by our own clock. */
export function upstreamNow({ rest, context }: SearchContext): string {
  return parseHttpDate(rest.date ?? '') ?? toIso(context.clock.now());
}

/** One list's windows. */
export function pagesOf<Value>(
  { context, bring, pageSize }: Walk<Value>,
  pass: SearchPass,
  query: string | undefined,
  limit = knownLimit(context.context),
): SearchPages<Value> {
  const what = { selection: pass.selection, query, bring: bring(pass) };
  return new SearchPages(context, what, limit, pageSize);
}

/** How far a walk over several lists has come. */
export interface WalkPlace {
  readonly asOf: string;
  /** Lists that are finished, and the items in them. */
  pass: number;
  counted: number;
}

/** Tolerant: what nobody understands, or what is of other lists, starts the walk again, which loses nothing. */
export function placeOf(
  checkpoint: Checkpoint | undefined,
  kind: string,
  passes: readonly SearchPass[],
): (WalkPlace & { readonly rest: JsonObject }) | undefined {
  if (checkpoint?.version !== 1 || checkpoint.kind !== kind) return undefined;
  const { asOf, pass, counted, passes: keys } = checkpoint;
  if (keys !== keysOf(passes) || typeof asOf !== 'string') return undefined;
  if (typeof pass !== 'number' || !Number.isInteger(pass) || pass < 0) return undefined;
  return { asOf, pass, counted: typeof counted === 'number' ? counted : 0, rest: checkpoint };
}

export function toCheckpoint(
  kind: string,
  passes: readonly SearchPass[],
  { asOf, pass, counted }: WalkPlace,
  rest: object = {},
): Checkpoint {
  return { version: 1, kind, passes: keysOf(passes), asOf, pass, counted, ...rest };
}

function keysOf(passes: readonly SearchPass[]): string {
  return passes.map(({ key }) => key).join(', ');
}
