import { say } from '../reasons/reason.ts';
import { sentences } from '../reasons/sentences.ts';

/**
 * What is said of a host that is not asked, because its address is not public and nobody has allowed it. As the reason
 * of a file it tells the files that were never asked for from those that their servers refuse.
 */
const ending = sentences['address-not-public'].replace('{host}', '');

/** @param host a name, or an address without brackets */
export function notPublic(host: string): string {
  return say('address-not-public', { host });
}

/** The host of such a sentence; undefined: it is another one. */
export function hostNotPublic(sentence: string | undefined): string | undefined {
  return sentence?.endsWith(ending) ? sentence.slice(0, -ending.length) : undefined;
}

/** For `like` in SQL. */
export const notPublicPattern = `%${ending}`;
