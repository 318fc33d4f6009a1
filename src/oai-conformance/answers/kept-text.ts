import { createHash } from 'node:crypto';

/**
 * A text to keep when its page is gone, cut to a length. A piece of a string holds the whole string in memory: without a
 * copy, a walk through many pages would hold them all.
 */
export function keptText(text: string, length: number): string {
  const cut = text.length <= length ? text : `${text.slice(0, length)}…`;
  return Buffer.from(cut).toString();
}

/** What tells texts apart, in the same few bytes however long they are. */
export function fingerprint(...texts: readonly string[]): string {
  return createHash('sha1').update(JSON.stringify(texts)).digest('base64');
}
