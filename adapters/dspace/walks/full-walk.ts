import type { Checkpoint, Problem } from '../../../src/core/adapter.ts';
import { asCount, asList, asObject, type JsonObject } from '../rest/json-value.ts';
import { judge, type Recount, toRecount } from '../search/list-sum.ts';
import { countItems, probeLimit, type SearchContext, withPrefixes } from '../search/search.ts';
import { acquitTerms, suspectTerms, usesManyTerms } from '../search/search-pages.ts';
import { SearchWindows } from '../search/search-windows.ts';
import { allUuids, fromMark, rangeOfDigit, toMark, type UuidRange } from '../search/uuid-range.ts';
import type { SearchPass } from './passes.ts';
import {
  type Batch,
  pagesOf,
  placeOf,
  toCheckpoint,
  upstreamNow,
  type Walk,
  type WalkPlace,
} from './walk.ts';

const kind = 'all';
/** Where nobody says how many there are. */
const guess = 1000;
/** Of the sixteen parts of a list, so many may be read anew: more would be all of it. */
const partsAgain = 4;

/** How far one list has come. */
interface ListProgress {
  /** Everything below has been read; the first digits in `again` only, if there are any. */
  at: bigint;
  /** As the server had it at the beginning. */
  total: number | undefined;
  limit: number;
  /** Items found, by the first digit of their UUIDs. */
  counts: number[];
  /** Items that the server counted and did not show. */
  missing: number;
  again: Recount | undefined;
}

/** Every public item, in the order of UUIDs, list by list. */
export async function* walkAll<Value>(
  walk: Walk<Value>,
  checkpoint: Checkpoint | undefined,
  signal: AbortSignal,
): AsyncGenerator<Batch<Value>, void, undefined> {
  const { context, passes } = walk;
  const kept = placeOf(checkpoint, kind, passes);
  const place: WalkPlace = kept ?? { asOf: upstreamNow(context), pass: 0, counted: 0 };
  let progress = kept && toProgress(kept.rest.list);
  for (let pass = passes[place.pass]; pass !== undefined; pass = passes[place.pass]) {
    progress ??= await begin(context, pass, signal);
    yield* walkList(walk, pass, place, progress, signal);
    const problems = await endOf(context, pass, progress, signal);
    if (problems === undefined) continue;
    // What is in several collections is counted in the list of each.
    const stated = passes.length === 1 ? progress.total : undefined;
    place.counted += sum(progress.counts);
    place.pass += 1;
    progress = undefined;
    yield {
      values: [],
      problems,
      checkpoint: toCheckpoint(kind, passes, place),
      asOf: place.asOf,
      expectedTotal: place.counted,
      ...(stated === undefined ? {} : { statedTotal: stated }),
    };
  }
}

async function* walkList<Value>(
  walk: Walk<Value>,
  pass: SearchPass,
  place: WalkPlace,
  progress: ListProgress,
  signal: AbortSignal,
): AsyncGenerator<Batch<Value>, void, undefined> {
  const pages = pagesOf(walk, pass, undefined, progress.limit);
  const windows = new SearchWindows(rangesOf(progress), pages, walk.context.settings.requestsPerHost);
  for await (const { window, value } of windows.read(signal)) {
    progress.at = window.high;
    progress.missing += value.missing;
    for (const [digit, count] of value.counts) {
      progress.counts[digit] = (progress.counts[digit] ?? 0) + count;
    }
    if (value.values.length === 0 && value.problems.length === 0) continue;
    yield {
      values: value.values,
      problems: value.problems,
      checkpoint: toCheckpoint(kind, walk.passes, place, { list: toJson(progress) }),
      asOf: place.asOf,
      expectedTotal: place.counted + Math.max(progress.total ?? 0, sum(progress.counts)),
    };
  }
}

async function begin(
  context: SearchContext,
  { selection }: SearchPass,
  signal: AbortSignal,
): Promise<ListProgress> {
  const total = await countItems(context, { selection, query: undefined }, signal);
  const limit = await probeLimit(context, selection, total, signal);
  return { at: 0n, total, limit, counts: Array(16).fill(0), missing: 0, again: undefined };
}

function rangesOf({ at, total, counts, again }: ListProgress): (UuidRange & { expected: number })[] {
  if (again === undefined) {
    const expected = Math.max(0, (total ?? guess) - sum(counts));
    return [{ low: at, high: allUuids.high, expected }];
  }
  return again.digits.map((digit) => {
    const { low, high } = rangeOfDigit(digit);
    const expected = Math.max(0, (again.totals[digit] ?? 0) - (counts[digit] ?? 0));
    return { low: at > low ? at : low, high, expected };
  });
}

/**
 * Compares what was found with what the server says there is, part by part if need be.
 * @returns undefined: parts of the list are to be read anew, as `progress` has it now
 */
async function endOf(
  context: SearchContext,
  pass: SearchPass,
  progress: ListProgress,
  signal: AbortSignal,
): Promise<readonly Problem[] | undefined> {
  const { counts, missing, again } = progress;
  const found = sum(counts);
  if (again === undefined) {
    const end = await countItems(context, { selection: pass.selection, query: undefined }, signal);
    const stated = Math.min(progress.total ?? end ?? 0, end ?? progress.total ?? 0);
    if (progress.total !== undefined && judge(stated, found, missing)) return [];
    const totals = await recount(context, pass, counts, signal);
    const digits = totals.flatMap((total, digit) => (total > (counts[digit] ?? 0) ? [digit] : []));
    if (judge(sum(totals), found, missing)) return [];
    // Settings of the server may have changed since the beginning.
    const limit = await probeLimit(context, pass.selection, end, signal);
    const isLower = limit < progress.limit;
    const isSuspect = !isLower && digits.length > partsAgain && usesManyTerms(context);
    if (digits.length > partsAgain && !isSuspect && !isLower) return [doubt(sum(totals), found)];
    progress.limit = limit;
    if (isSuspect) suspectTerms(context);
    progress.again = { digits, totals, found, isSuspect };
    progress.at = 0n;
    progress.missing = 0;
    for (const digit of digits) counts[digit] = 0;
    return undefined;
  }
  const stated = sum(again.totals);
  if (again.isSuspect && found - again.found < (stated - again.found) / 2) acquitTerms(context);
  // What was created in other parts meanwhile does not make up for it.
  const short = again.totals.map((total, digit) => Math.max(0, total - (counts[digit] ?? 0)));
  return judge(stated, stated - sum(short), missing) ? [] : [doubt(stated, found)];
}

async function recount(
  context: SearchContext,
  { selection }: SearchPass,
  counts: readonly number[],
  signal: AbortSignal,
): Promise<number[]> {
  const totals: number[] = [];
  for (const [digit, found] of counts.entries()) {
    const query = withPrefixes(undefined, [digit.toString(16)]);
    totals.push((await countItems(context, { selection, query }, signal)) ?? found);
  }
  return totals;
}

function doubt(stated: number, found: number): Problem {
  return {
    code: 'list-doubtful',
    message: `Its search states ${stated} items but lists ${found}, even when it is asked again: what was not listed is not taken for deleted.`,
  };
}

function toJson({ at, total, limit, counts, missing, again }: ListProgress): JsonObject {
  return {
    at: toMark(at),
    ...(total === undefined ? {} : { total }),
    limit,
    counts: [...counts],
    missing,
    ...(again === undefined ? {} : { again }),
  };
}

function toProgress(value: unknown): ListProgress | undefined {
  const json = asObject(value);
  const at = fromMark(json?.at);
  const limit = asCount(json?.limit);
  const counts = asList(json?.counts).map(asCount);
  if (json === undefined || at === undefined || !limit || counts.length !== 16) return undefined;
  return {
    at,
    limit,
    total: asCount(json.total),
    counts: counts.map((count) => count ?? 0),
    missing: asCount(json.missing) ?? 0,
    again: toRecount(json.again),
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
