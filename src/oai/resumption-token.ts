import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ListVerb } from './protocol.ts';

/** Where a list goes on, and which list it is: all that a process needs that has never heard of it. */
export interface ListPlace {
  readonly verb: ListVerb;
  readonly prefix: string;
  readonly set: string | undefined;
  /** As the seconds of the request (`DateArgument`). */
  readonly from: string | undefined;
  readonly until: string | undefined;
  /** The sequence of the last record that was delivered. */
  readonly after: number;
  /** Records delivered before this page. */
  readonly delivered: number;
  /** As counted for the first page; undefined: nobody knows. */
  readonly total: number | undefined;
}

/** Of a list of more sets than one answer has. */
export interface SetPlace {
  readonly verb: 'ListSets';
  readonly after: string;
  readonly delivered: number;
}

export type Place = ListPlace | SetPlace;

/** What makes a token ours. */
export interface TokenKey {
  readonly secret: string;
  /** `JournalState.id`: a database that was made anew counts anew. */
  readonly journal: string;
}

/**
 * The token of a place: its fields, and what proves that we wrote them. Only characters that no client changes
 * (`+`, `=`, `%` and `&` break harvesters), and the same place always has the same token.
 */
export function writeToken(place: Place, key: TokenKey): string {
  const fields =
    place.verb === 'ListSets'
      ? ['S', place.after, place.delivered]
      : [
          place.verb === 'ListRecords' ? 'R' : 'I',
          ...[place.prefix, place.set ?? '', seconds(place.from), seconds(place.until)],
          ...[place.after, place.delivered, place.total ?? -1],
        ];
  const text = Buffer.from(JSON.stringify(fields).slice(1, -1)).toString('base64url');
  return `${signature(text, key)}${text}`;
}

/** @returns undefined for whatever we did not write, or wrote for another journal */
export function readToken(token: string, key: TokenKey): Place | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(token)) return undefined;
  const [signed, text] = [token.slice(0, signatureLength), token.slice(signatureLength)];
  const expected = signature(text, key);
  if (signed.length !== expected.length || !timingSafeEqual(Buffer.from(signed), Buffer.from(expected)))
    return undefined;
  // What is signed is as it was written.
  const fields: (string | number | null)[] = JSON.parse(`[${Buffer.from(text, 'base64url')}]`);
  const [kind] = fields;
  if (kind === 'S') return { verb: 'ListSets', after: String(fields[1]), delivered: Number(fields[2]) };
  const [, prefix, set, from, until, after, delivered, total] = fields;
  return {
    verb: kind === 'R' ? 'ListRecords' : 'ListIdentifiers',
    prefix: String(prefix),
    set: set === '' ? undefined : String(set),
    from: instant(from),
    until: instant(until),
    after: Number(after),
    delivered: Number(delivered),
    total: total === -1 ? undefined : Number(total),
  };
}

const signatureLength = 16;

function signature(text: string, { secret, journal }: TokenKey): string {
  return createHmac('sha256', secret)
    .update(`${journal}\n${text}`)
    .digest('base64url')
    .slice(0, signatureLength);
}

/** Years before 1970 are negative; none is the same as no bound. */
function seconds(iso: string | undefined): number | null {
  return iso === undefined ? null : Date.parse(iso) / 1000;
}

function instant(value: string | number | null | undefined): string | undefined {
  if (typeof value !== 'number') return undefined;
  return `${new Date(value * 1000).toISOString().slice(0, 19)}Z`;
}
