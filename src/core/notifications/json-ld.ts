import { asObject } from '../json-value.ts';

/** The contexts of a notification. */
export const activityStreams = 'https://www.w3.org/ns/activitystreams';
export const coarNotify = 'https://coar-notify.net';

/** JSON-LD as Activity Streams writes it: a value stands alone or in a list, and a thing may be its address alone. */

/** Texts alone or in a list; what is none is left out. */
export function stringsOf(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}

/** One text, or the `id` of one thing, without NUL, which PostgreSQL keeps in no text. */
export function textOf(value: unknown): string | undefined {
  const [one] = [value].flat();
  const text = asObject(one)?.id ?? one;
  return typeof text === 'string' && text !== '' && !text.includes('\0') ? text : undefined;
}

/** A value as one text, in whatever order its members were written. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const object = asObject(value);
  if (object === undefined) return JSON.stringify(value);
  const members = Object.keys(object).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(object[name])}`).join()}}`;
}
