import { percentEncode, type WebUrl, webUrl } from '../../../../src/core/addresses/web-url.ts';
import { toGalleyDownload } from './galley-url.ts';

/**
 * The URL of a file as a payload states it: blanks within are escaped, a fragment is no part of a file, and a viewer
 * gives way to what it shows.
 */
export function fileUrl(text: string): WebUrl | undefined {
  const fragment = text.indexOf('#');
  const address = (fragment < 0 ? text : text.slice(0, fragment)).trim();
  // Two lines are two things.
  if (/[\r\n]/.test(address)) return undefined;
  const url = webUrl(address.replace(/[ \t\u00A0\u3000]/g, percentEncode));
  return url && toGalleyDownload(url);
}
