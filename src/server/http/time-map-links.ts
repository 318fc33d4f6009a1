import { type TimeMapForm, timeMapUri } from '../../core/uris.ts';

/** One TimeMap, for programs and for people. */
export type TimeMapLinks = Readonly<Record<Exclude<TimeMapForm, 'json'>, string>>;

export function timeMapLinks(baseUrl: string, uri: string): TimeMapLinks {
  return { link: timeMapUri(baseUrl, uri), html: timeMapUri(baseUrl, uri, 'html') };
}
