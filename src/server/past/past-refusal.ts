import { Refusal } from '../http/errors.ts';
import type { Past, PastSelection } from '../past.ts';
import { mementoLinks } from './memento-links.ts';

/** Of something whose past is known, if not this of it: says where it belongs, and what is around (ME-02). */
export function pastRefusal(
  baseUrl: string,
  past: Past,
  code: 'bad-request' | 'not-found' | 'gone',
  why: string,
  around?: PastSelection,
): Refusal {
  return new Refusal(code, why, { link: mementoLinks(baseUrl, past, around) });
}

/** There was nothing at a moment, or there is nothing at all. */
export function nothingThen(
  baseUrl: string,
  past: Past,
  around: PastSelection,
  at: string | undefined,
): Refusal {
  const why =
    past.span && at !== undefined ? `there was no version at ${at}` : 'none of its versions is kept';
  return pastRefusal(baseUrl, past, 'not-found', why, around);
}
