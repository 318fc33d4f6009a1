import { asCount, asFlag, asList, asObject } from '../rest/json-value.ts';

/** A list that came out too short, counted part by part; the parts are the first digits of UUIDs. */
export interface Recount {
  /** Parts that are read anew. */
  readonly digits: readonly number[];
  /** What the server says each part has. */
  readonly totals: readonly number[];
  /** Items that were found before. */
  readonly found: number;
  /** It may be that the server does not do what it is asked to with several prefixes. */
  readonly isSuspect: boolean;
}

/**
 * Whether a list may be taken for whole. An item that was deleted while another one was created makes the sum wrong
 * by one, for a moment; an item that the server counts and does not show, asked twice, is a stale document of its
 * index, as long as there are few.
 */
export function judge(stated: number, found: number, missing: number): boolean {
  const chance = Math.max(2, Math.floor(stated / 2000));
  const stale = Math.min(missing, Math.max(5, Math.floor(stated / 100)));
  return stated - found - stale <= chance;
}

export function toRecount(value: unknown): Recount | undefined {
  const json = asObject(value);
  const totals = asList(json?.totals).map((total) => asCount(total) ?? 0);
  if (json === undefined || totals.length !== 16) return undefined;
  const digits = asList(json.digits)
    .map(asCount)
    .filter((digit) => digit !== undefined && digit < 16) as number[];
  return {
    digits,
    totals,
    found: asCount(json.found) ?? 0,
    isSuspect: asFlag(json.isSuspect) ?? false,
  };
}
